"""The vectors of a text's tokens in their context, by any encoder of `transformers` or ours."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.backends.transformers_models import LocalModel
from pipeline.rarr.errors import BadConfig

if TYPE_CHECKING:
    from pipeline.metrics.bertscore import Vectors


class CompactVectors:
    """Those of the shipped reader, which was trained to compare texts and not for BERTScore."""

    says = "the shipped reader"

    def vectors(self, texts: Sequence[str]) -> "list[Vectors]":
        """Of each text its tokens' vectors, without marks; a long text is cut at 254 tokens."""
        from pipeline.backends.compact.reader.model import shipped

        return shipped().vectors(texts)


class _Encoder(LocalModel):
    deed, auto_class = "encode a text", "AutoModel"


class TransformersVectors:
    """Those of a layer of any encoder, by name or folder: `NAME#LAYER`, the last one without.

    Layer 0 is what goes into the first layer. Loaded on the first use; a text that is longer than
    the model reads is cut. Raises `BadConfig` where it cannot be loaded or has no such layer.
    """

    def __init__(self, name: str, *, device: str = "auto") -> None:
        name, _, layer = name.partition("#")
        if layer and not layer.isdecimal():
            raise BadConfig(f"hf:{name}#{layer}: write the number of a layer behind the #.")
        self._layer = int(layer) if layer else None
        self._model = _Encoder(name, device=device)
        self.says = f"{name}, {f'layer {layer}' if layer else 'the last layer'}"

    def vectors(self, texts: Sequence[str]) -> "list[Vectors]":
        """Of each text its tokens' vectors, without marks; each different text is read once."""
        return self._model.read_in_batches(texts, self._read)

    def _read(self, texts: Sequence[str]) -> "list[Vectors]":
        model = self._model
        rows = model.encode(texts, return_special_tokens_mask=True)
        network = model.model.get_encoder() if model.config.is_encoder_decoder else model.model
        inputs = {name: rows[name] for name in ("input_ids", "attention_mask")}
        states = network(**inputs, output_hidden_states=True).hidden_states
        layer = len(states) - 1 if self._layer is None else self._layer
        if layer >= len(states):
            raise BadConfig(
                f"The model {model.name!r} has layers 0 to {len(states) - 1}: write one of them "
                "behind the #."
            )
        # Padding counts as a special token.
        words = rows["special_tokens_mask"].cpu() == 0
        return [
            each[of].numpy() for each, of in zip(states[layer].float().cpu(), words, strict=True)
        ]
