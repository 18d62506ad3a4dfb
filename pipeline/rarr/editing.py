"""Editing (section 3.2): the edit model proposes a new y, which is accepted or rejected."""

from dataclasses import replace

from rapidfuzz.distance import Levenshtein

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import EditModel
from pipeline.rarr.types import Agreement, EditOutcome, Evidence, Passage, StepError, TraceStep


def edit(
    step: TraceStep,
    evidence: Evidence,
    agreement: Agreement,
    *,
    passage: Passage,
    model: EditModel,
    config: RarrConfig,
) -> TraceStep:
    """Return the step with the edit that its `evidence` and `agreement` call for.

    An edit is rejected if its Levenshtein distance exceeds `max_edit_characters` or
    `max_edit_ratio` of the original's length, or if entailment is known and does not rise.
    """
    current = step.text_before
    try:
        proposed = model.edit(
            passage=passage,
            current=current,
            query=step.query,
            evidence=evidence,
            agreement=agreement,
        )
    except UnreadableReply as error:
        return replace(step, edit_outcome=EditOutcome.ERROR, error=StepError.of(error))

    distance = Levenshtein.distance(current, proposed.text)
    length = len(passage.text)
    entailed_before, entailed_after = proposed.entailed_before, proposed.entailed_after
    if proposed.text == current:
        outcome, reason = EditOutcome.UNCHANGED, proposed.reason
    elif distance > config.max_edit_characters:
        outcome = EditOutcome.REJECTED_CHARACTERS
        reason = (
            f"The edit changes {distance} characters; the limit is {config.max_edit_characters}."
        )
    elif distance > config.max_edit_ratio * length:
        outcome = EditOutcome.REJECTED_RATIO
        reason = (
            f"The edit changes {distance} characters, {distance / length:.2f} of the original's "
            f"{length}; the limit is {config.max_edit_ratio:g}."
        )
    elif (
        entailed_before is not None
        and entailed_after is not None
        and entailed_after <= entailed_before
    ):
        outcome = EditOutcome.REJECTED_ENTAILMENT
        reason = (
            "The edit does not raise entailment by the evidence: "
            f"{entailed_before:.3f} before, {entailed_after:.3f} after."
        )
    else:
        outcome, reason = EditOutcome.ACCEPTED, proposed.reason
    return replace(
        step,
        edit_outcome=outcome,
        edit_reason=reason,
        edit_distance=distance,
        text_after=current if outcome.is_rejection else proposed.text,
        rejected_text=proposed.text if outcome.is_rejection else "",
    )
