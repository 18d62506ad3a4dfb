"""RARR's edit model: the judged span alone, with its "a" or "an", takes the evidence's value."""

from pipeline.backends.compact.reader.model import Reader, shipped
from pipeline.backends.compact.revision.readings import Asked
from pipeline.backends.compact.revision.surface_form import article_for, new_words
from pipeline.rarr.types import Agreement, Evidence, Passage, ProposedEdit, Query, Span
from pipeline.text.sentences import split_sentences


class CompactEditor:
    """Puts the evidence's answer in the place of the passage's, in the passage's own form.

    Says how likely the evidence entails the sentence before and after, by the trained reader.
    """

    def __init__(self, reader: Reader | None = None) -> None:
        """`reader`: the shipped one, loaded at its first use, where none is given."""
        self._reader = reader

    def edit(
        self,
        *,
        passage: Passage,
        current: str,
        query: Query,
        evidence: Evidence,
        agreement: Agreement,
    ) -> ProposedEdit:
        span = agreement.passage_span
        if span is None or not agreement.evidence_answer:
            return ProposedEdit(text=current, reason="No single span answers the question.")
        old, before, after = span.of(current), current[: span.start], current[span.end :]
        new = new_words(old, agreement.evidence_answer, before, after)
        if new == old:
            said = agreement.evidence_answer
            return ProposedEdit(text=current, reason=f"“{said}” leaves “{old}” as it is.")
        entailed_before, entailed_after = self._entailed(
            span, agreement.evidence_answer, current, evidence
        )
        return ProposedEdit(
            text=article_for(new, before, old) + new + after,
            reason=f"Replaced “{old}” with “{new}” from the evidence.",
            entailed_before=entailed_before,
            entailed_after=entailed_after,
        )

    def _entailed(
        self, span: Span, answer: str, current: str, evidence: Evidence
    ) -> tuple[float, float]:
        """Of the sentence that has the span, as it is and with the answer in its place."""
        place = next(
            (s for s in split_sentences(current) if s.start <= span.start < s.end),
            Span(start=0, end=len(current)),
        )
        reader = self._reader or shipped()
        asked = Asked(reader, current, place, evidence=evidence)
        inside = Span(start=span.start - place.start, end=span.end - place.start)
        now, [then] = asked.read(inside, [answer])
        return now.supported, then.supported
