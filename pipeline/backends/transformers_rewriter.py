"""EFEC's editor: a sequence-to-sequence model (Thorne and Vlachos, 2021).

It reads `claim: X evidence: title: T context: E ### title: …`, and writes `correction: Y`.
"""

import re
from collections.abc import Sequence

from pipeline.backends.transformers_models import RewritingModel
from pipeline.rarr.types import Evidence, Passage, ProposedEdit

_MARK = re.compile(r"^correction\s*:\s*", re.IGNORECASE)
EXTRA_TOKENS = 32
"""New tokens beyond twice the passage's."""
MOST_NEW = 512


class TransformersRewriter:
    """Corrects greedily, by a model's name or folder; raises `BadConfig`."""

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self._model = RewritingModel(name, device=device, trained_to="correct claims")

    def rewrite(self, *, passage: Passage, evidence: Sequence[Evidence]) -> ProposedEdit:
        """Correct a passage; evidence beyond the model's input is cut."""
        [size] = self._model.count([passage.text])
        max_tokens = min(2 * size + EXTRA_TOKENS, MOST_NEW)
        [written] = self._model.write([text_for(passage, evidence)], max_tokens=max_tokens, beams=1)
        answer = self._model.tokenizer.decode(written, skip_special_tokens=True).strip()
        return ProposedEdit(text=_MARK.sub("", answer), reason="")


def text_for(passage: Passage, evidence: Sequence[Evidence]) -> str:
    read = " ### ".join(f"title: {each.title} context: {each.text}" for each in evidence)
    return f"claim: {passage.text} evidence: {read}"
