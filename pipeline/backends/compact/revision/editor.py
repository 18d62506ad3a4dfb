"""RARR's edit model: replaces the judged span with the evidence's value."""

from collections.abc import Sequence

from pipeline.backends.compact.reader.model import Reader, shipped
from pipeline.backends.compact.revision.agreement import CompactAgreement
from pipeline.backends.compact.revision.readings import EvidenceReader
from pipeline.backends.compact.revision.surface_form import article_for, new_words
from pipeline.backends.compact.text.spans import mentions
from pipeline.rarr.types import Agreement, Evidence, Passage, ProposedEdit, Query, Verdict
from pipeline.text.sentences import split_sentences
from pipeline.text.spans import Span


class CompactEditor:
    """Inserts the evidence's answer in the passage's form."""

    def __init__(self, reader: Reader | None = None) -> None:
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
            answer = agreement.evidence_answer
            return ProposedEdit(text=current, reason=f"“{answer}” leaves “{old}” as it is.")
        sentence = next(
            (s for s in split_sentences(current) if s.start <= span.start < s.end),
            Span(start=0, end=len(current)),
        )
        reader = self._reader or shipped()
        evidence_reader = EvidenceReader(reader, current, sentence, evidence=evidence)
        inside = Span(start=span.start - sentence.start, end=span.end - sentence.start)
        now, [then] = evidence_reader.read(inside, [agreement.evidence_answer])
        return ProposedEdit(
            text=article_for(new, before, old) + new + after,
            reason=f"Replaced “{old}” with “{new}” from the evidence.",
            entailed_before=now.supported,
            entailed_after=then.supported,
        )


class CompactRewriter:
    """Replaces each span that no evidence has and some disputes, whatever the entailment."""

    def __init__(self, reader: Reader | None = None) -> None:
        self._gate = CompactAgreement(reader)
        self._editor = CompactEditor(reader)

    def rewrite(self, *, passage: Passage, evidence: Sequence[Evidence]) -> ProposedEdit:
        text, reasons = passage.text, []
        # Backwards, so that earlier positions stay valid.
        for mention in reversed(mentions(passage.text)):
            query = Query(text=f"“{mention.text}”?", about=mention)
            if disputed := self._disputed(query, passage, evidence):
                agreement, snippet = disputed
                proposed = self._editor.edit(
                    passage=passage,
                    current=text,
                    query=query,
                    evidence=snippet,
                    agreement=agreement,
                )
                text = proposed.text
                reasons.append(agreement.reason)
        return ProposedEdit(text=text, reason=" ".join(reversed(reasons)))

    def _disputed(
        self, query: Query, passage: Passage, evidence: Sequence[Evidence]
    ) -> tuple[Agreement, Evidence] | None:
        first: tuple[Agreement, Evidence] | None = None
        for snippet in evidence:
            agreement = self._gate.judge(
                passage=passage, current=passage.text, query=query, evidence=snippet
            )
            if agreement.verdict is Verdict.AGREES:
                return None
            if agreement.opens_gate and first is None:
                first = agreement, snippet
        return first
