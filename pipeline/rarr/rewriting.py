"""Rewriting from all evidence at once, as a trace of one step (section 5.2)."""

from dataclasses import replace

from rapidfuzz.distance import Levenshtein

from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Rewriter
from pipeline.rarr.types import EditOutcome, Query, Revision, StepError, TraceStep, distinct

ALL_AT_ONCE = Query(text="All evidence at once")


def rewrite(researched: Revision, *, rewriter: Rewriter) -> Revision:
    """Rewrite the passage without a limit of change; without evidence, do nothing.

    An unreadable or blank reply becomes the step's error.
    """
    passage, evidence = researched.passage, distinct(researched.evidence)
    if not evidence:
        return researched
    step = TraceStep(
        query=ALL_AT_ONCE,
        evidence=evidence[0],
        additional_evidence=evidence[1:],
        text_before=passage.text,
        text_after=passage.text,
    )
    try:
        proposed = rewriter.rewrite(passage=passage, evidence=evidence)
        if not proposed.text.strip():
            raise UnreadableReply("The rewritten passage is blank.", reply=proposed.text)
    except UnreadableReply as error:
        step = replace(step, edit_outcome=EditOutcome.ERROR, error=StepError.of(error))
    else:
        is_same = proposed.text == passage.text
        step = replace(
            step,
            edit_outcome=EditOutcome.UNCHANGED if is_same else EditOutcome.ACCEPTED,
            edit_reason=proposed.reason,
            edit_distance=Levenshtein.distance(passage.text, proposed.text),
            text_after=proposed.text,
        )
    return replace(researched, text=step.text_after, trace=(step,))
