"""Contextual token vectors by an encoder of `transformers` or the shipped reader."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.backends.transformers_models import LocalModel
from pipeline.rarr.errors import BadConfig

if TYPE_CHECKING:
    from pipeline.metrics.bertscore import Vectors


class CompactVectors:
    """Vectors of the shipped reader, which was not trained for BERTScore."""

    description = "the shipped reader"

    def vectors(self, texts: Sequence[str]) -> "list[Vectors]":
        """Return the vectors of each text without marks; texts are cut at 254 tokens."""
        from pipeline.backends.compact.reader.model import shipped

        return shipped().vectors(texts)


class _Encoder(LocalModel):
    task, auto_class = "encode a text", "AutoModel"


class TransformersVectors:
    """Vectors of a layer of an encoder, `NAME#LAYER` or the last one.

    Layer 0 is the first layer's input. Loaded on first use; long texts are cut. Raises `BadConfig`
    for a missing model or layer.
    """

    def __init__(self, name: str, *, device: str = "auto") -> None:
        name, _, layer = name.partition("#")
        if layer and not layer.isdecimal():
            raise BadConfig(f"hf:{name}#{layer}: write the number of a layer behind the #.")
        self._layer = int(layer) if layer else None
        self._model = _Encoder(name, device=device)
        self.description = f"{name}, {f'layer {layer}' if layer else 'the last layer'}"

    def vectors(self, texts: Sequence[str]) -> "list[Vectors]":
        """Return the vectors of each text without marks; reads distinct texts once."""
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
