"""EFEC's editor by name: a sequence-to-sequence model that corrects a claim from its evidence.

The input is that of EFEC's own program (Thorne and Vlachos, 2021):
`claim: X evidence: title: T context: E ### title: …`; the model answers `correction: Y`.
"""

import re
from collections.abc import Sequence

from pipeline.backends.transformers_loading import LocalModel
from pipeline.rarr.types import BadConfig, Evidence, Passage, ProposedEdit

_MARK = re.compile(r"^correction\s*:\s*", re.IGNORECASE)
ROOM = 32
"""New tokens beyond twice the passage's own."""
MOST_NEW = 512


class TransformersRewriter:
    """A corrected passage by a local model, loaded on the first use.

    `name` is a folder or a model's name. Decoding is greedy, so it answers the same each time.
    Raises `BadConfig` for a model that cannot be loaded or that answers by labels.
    """

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self._model = LocalModel(name, device=device)

    def describe(self) -> str:
        """What the model is, in a line, from its configuration and tokenizer alone.

        Raises `BadConfig` where it cannot serve, but for weights that are missing or too large.
        """
        self._check()
        _ = self._model.tokenizer
        return "sequence-to-sequence, in EFEC's input format"

    def _check(self) -> None:
        if self._model.is_classifier:
            raise BadConfig(
                f"The model {self._model.name!r} answers by labels: choose a sequence-to-sequence "
                "model that was trained to correct claims."
            )

    def rewrite(self, *, passage: Passage, evidence: Sequence[Evidence]) -> ProposedEdit:
        """Evidence beyond what the model can read at once is cut off: the best comes first."""
        import torch

        self._check()
        inputs = self._model.encode([text_for(passage, evidence)])
        [size] = self._model.count([passage.text])
        with torch.inference_mode():
            written = self._model.model.generate(
                **{name: inputs[name] for name in ("input_ids", "attention_mask")},
                max_new_tokens=min(2 * size + ROOM, MOST_NEW),
                do_sample=False,
                num_beams=1,
            )
        answer = self._model.tokenizer.decode(written[0], skip_special_tokens=True).strip()
        return ProposedEdit(text=_MARK.sub("", answer), reason="")


def text_for(passage: Passage, evidence: Sequence[Evidence]) -> str:
    """What the model reads."""
    read = " ### ".join(f"title: {each.title} context: {each.text}" for each in evidence)
    return f"claim: {passage.text} evidence: {read}"
