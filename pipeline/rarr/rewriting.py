"""One rewriting of a passage from all of its evidence at once, as a trace of one step."""

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from pipeline.rarr.ports import Rewriter
from pipeline.rarr.types import (
    EditOutcome,
    Evidence,
    Passage,
    Query,
    StepError,
    TraceStep,
    UnreadableReply,
)

ALL_AT_ONCE = Query(text="All evidence at once")
"""Stands where a step of RARR has its query."""


def distinct(evidence: Sequence[Sequence[Evidence]]) -> tuple[Evidence, ...]:
    """Each snippet once, in the order of the queries and then of rank."""
    first: dict[tuple[str, str], Evidence] = {}
    for found in evidence:
        for snippet in found:
            first.setdefault((snippet.document_id, snippet.text), snippet)
    return tuple(first.values())


def rewritten(
    passage: Passage, evidence: Sequence[Evidence], *, by: Rewriter
) -> tuple[TraceStep, ...]:
    """The one step in which `by` rewrites the passage; none where there is no evidence.

    Nothing limits what may change, but a reply that is unreadable or blank is a named error.
    """
    if not evidence:
        return ()
    try:
        proposed = by.rewrite(passage=passage, evidence=evidence)
        if not proposed.text.strip():
            raise UnreadableReply("The rewritten passage is blank.", reply=proposed.text)
    except UnreadableReply as error:
        return (_step(passage.text, passage.text, evidence, error=StepError.of(error)),)
    return (_step(passage.text, proposed.text, evidence, reason=proposed.reason),)


def _step(
    before: str,
    after: str,
    evidence: Sequence[Evidence],
    *,
    reason: str = "",
    error: StepError | None = None,
) -> TraceStep:
    outcome = EditOutcome.UNCHANGED if before == after else EditOutcome.KEPT
    return TraceStep(
        query=ALL_AT_ONCE,
        evidence=evidence[0],
        beside=tuple(evidence[1:]),
        edit_outcome=EditOutcome.ERROR if error else outcome,
        edit_reason=reason,
        edit_distance=None if error else Levenshtein.distance(before, after),
        text_before=before,
        text_after=after,
        error=error,
    )
