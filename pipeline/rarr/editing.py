"""Revision stage, editing (section 3.2): a new y, unless it strays too far from the old one or
is no better attributed."""

from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from pipeline.rarr.ports import EditModel
from pipeline.rarr.types import (
    Agreement,
    EditOutcome,
    Evidence,
    Passage,
    ProposedEdit,
    Query,
    StepError,
    UnreadableReply,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """What became of an edit; see the fields of the same names in `TraceStep`."""

    outcome: EditOutcome
    text: str
    """y after: the proposed text where the edit was kept, else y as it was."""
    reason: str = ""
    distance: int | None = None
    rejected_text: str = ""
    error: StepError | None = None


def edit(
    *,
    model: EditModel,
    passage: Passage,
    current: str,
    query: Query,
    evidence: Evidence,
    agreement: Agreement,
    max_characters: int,
    max_ratio: float,
) -> Edited:
    """Ask for a y that agrees with the evidence, and keep it if it is near enough.

    The distance is Levenshtein's in characters, from the current y. Above `max_characters`,
    or above `max_ratio` of the original passage's length, the edit is rejected; so is one that
    does not raise entailment, where the model says how likely that is before and after.
    """
    try:
        proposed = model.edit(
            passage=passage, current=current, query=query, evidence=evidence, agreement=agreement
        )
    except UnreadableReply as error:
        return Edited(outcome=EditOutcome.ERROR, text=current, error=StepError.of(error))
    if proposed.text == current:
        return Edited(
            outcome=EditOutcome.UNCHANGED, text=current, reason=proposed.reason, distance=0
        )

    distance = Levenshtein.distance(current, proposed.text)
    length = len(passage.text)
    if distance > max_characters:
        outcome = EditOutcome.REJECTED_CHARACTERS
        reason = f"The edit changes {distance} characters; the limit is {max_characters}."
    elif distance > max_ratio * length:
        outcome = EditOutcome.REJECTED_RATIO
        reason = (
            f"The edit changes {distance} characters, {distance / length:.2f} of the original's "
            f"{length}; the limit is {max_ratio:g}."
        )
    elif not _is_raised(proposed):
        outcome = EditOutcome.REJECTED_ENTAILMENT
        reason = (
            "The edit does not raise entailment by the evidence: "
            f"{proposed.entailed_before:.3f} before, {proposed.entailed_after:.3f} after."
        )
    else:
        return Edited(
            outcome=EditOutcome.KEPT,
            text=proposed.text,
            reason=proposed.reason,
            distance=distance,
        )
    return Edited(
        outcome=outcome,
        text=current,
        reason=reason,
        distance=distance,
        rejected_text=proposed.text,
    )


def _is_raised(proposed: ProposedEdit) -> bool:
    before, after = proposed.entailed_before, proposed.entailed_after
    return before is None or after is None or after > before
