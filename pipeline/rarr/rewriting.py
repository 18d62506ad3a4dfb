"""Rewriting from all evidence at once, as a trace of one step (section 5.2)."""

from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz.distance import Levenshtein

from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Rewriter
from pipeline.rarr.types import EditOutcome, Evidence, Passage, Query, StepError, TraceStep

ALL_AT_ONCE = Query(text="All evidence at once")


def rewrite(
    passage: Passage, evidence: Sequence[Evidence], *, by: Rewriter
) -> tuple[TraceStep, ...]:
    """Let `by` rewrite the passage, without limits; no evidence, no step.

    An unreadable or blank reply becomes the step's error.
    """
    if not evidence:
        return ()
    step = TraceStep(
        query=ALL_AT_ONCE,
        evidence=evidence[0],
        additional_evidence=tuple(evidence[1:]),
        text_before=passage.text,
        text_after=passage.text,
    )
    try:
        proposed = by.rewrite(passage=passage, evidence=evidence)
        if not proposed.text.strip():
            raise UnreadableReply("The rewritten passage is blank.", reply=proposed.text)
    except UnreadableReply as error:
        return (replace(step, edit_outcome=EditOutcome.ERROR, error=StepError.of(error)),)
    is_same = proposed.text == passage.text
    return (
        replace(
            step,
            edit_outcome=EditOutcome.UNCHANGED if is_same else EditOutcome.KEPT,
            edit_reason=proposed.reason,
            edit_distance=Levenshtein.distance(passage.text, proposed.text),
            text_after=proposed.text,
        ),
    )
