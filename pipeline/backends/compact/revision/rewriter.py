"""What stands in for EFEC's editor: all spans of a passage against all of its evidence at once."""

from collections.abc import Sequence

from pipeline.backends.compact.reader.model import Reader
from pipeline.backends.compact.revision.agreement import CompactAgreement
from pipeline.backends.compact.revision.editor import CompactEditor
from pipeline.backends.compact.text.spans import mentions
from pipeline.rarr.types import Agreement, Evidence, Passage, ProposedEdit, Query, Verdict


class CompactRewriter:
    """Puts the evidence's value in the place of each span that no evidence has and one disputes.

    Unlike RARR's loop it compares nothing with a text that an edit has changed already, looks at
    every snippet whatever question found it, and keeps each change, be entailment raised or not.
    It is no sequence-to-sequence model: it changes words and never drops a sentence, as EFEC does.
    """

    def __init__(self, reader: Reader | None = None) -> None:
        self._gate = CompactAgreement(reader)
        self._editor = CompactEditor(reader)

    def rewrite(self, *, passage: Passage, evidence: Sequence[Evidence]) -> ProposedEdit:
        text, reasons = passage.text, []
        # From the end, so that the places before a change stay where they are.
        for mention in reversed(mentions(passage.text)):
            query = Query(text=f"“{mention.text}”?", about=mention)
            if disputed := self._disputed(query, passage, evidence):
                agreement, snippet = disputed
                text = self._editor.edit(
                    passage=passage, current=text, query=query, evidence=snippet,
                    agreement=agreement,
                ).text  # fmt: skip
                reasons.append(agreement.reason)
        return ProposedEdit(text=text, reason=" ".join(reversed(reasons)))

    def _disputed(
        self, query: Query, passage: Passage, evidence: Sequence[Evidence]
    ) -> tuple[Agreement, Evidence] | None:
        """The first disagreement about a span; None where there is none, or where any agrees."""
        first: tuple[Agreement, Evidence] | None = None
        for snippet in evidence:
            agreement = self._gate.judge(
                passage=passage, current=passage.text, query=query, evidence=snippet
            )
            if agreement.verdict is Verdict.AGREES:
                return None
            if agreement.is_open and first is None:
                first = agreement, snippet
        return first
