"""Accepted and rejected edits."""

import pytest

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.editing import edit
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Agreement, EditOutcome, Query, StepError, TraceStep, Verdict
from tests.support.rarr_fakes import Pen, evidence, passage

RATIO, CHARACTERS = EditOutcome.REJECTED_RATIO, EditOutcome.REJECTED_CHARACTERS
LONG = "The town hall was built in 1902 by a local firm, and later burned down."
WIDE = LONG.replace("town hall", "x" * 60)
WIDE = LONG.replace("town hall", "x" * 60)


def edited(pen: Pen, *, text: str = LONG, current: str = "", ratio: float = 0.5) -> TraceStep:
    current = current or text
    step = TraceStep(query=Query(text="When?"), text_before=current, text_after=current)
    agreement = Agreement(verdict=Verdict.DISAGREES, reason="1902 is not 1904.")
    config = RarrConfig(max_edit_characters=50, max_edit_ratio=ratio)
    snippet = evidence("It was built in 1904.")
    return edit(step, snippet, agreement, passage=passage(text), model=pen, config=config)


def test_a_small_edit_is_accepted_with_the_models_reason() -> None:
    step = edited(Pen({"1902": "1904"}))
    assert step.edit_outcome is EditOutcome.ACCEPTED
    assert (step.text_before, step.text_after) == (LONG, LONG.replace("1902", "1904"))
    assert (step.edit_reason, step.edit_distance) == ("The source says otherwise.", 1)
    assert (step.rejected_text, step.error) == ("", None)
    same = edited(Pen())
    assert (same.edit_outcome, same.text_after) == (EditOutcome.UNCHANGED, LONG)
    assert same.edit_distance == 0


@pytest.mark.parametrize(
    ("text", "changed", "ratio", "outcome", "reason"),
    [
        (LONG, WIDE, 9.0, CHARACTERS, "The edit changes 60 characters; the limit is 50."),
        (
            "He was born.",
            "He was had a child.",
            0.5,
            RATIO,
            "of the original's 12; the limit is 0.5.",
        ),
        (LONG, "", 0.5, CHARACTERS, ""),
        ("Yes.", "", 0.5, RATIO, ""),
        # Edits at the limits are accepted.
        (LONG, LONG + "y" * 50, 9.0, EditOutcome.ACCEPTED, ""),
        ("abcdefgh", "abcdWXYZ", 0.5, EditOutcome.ACCEPTED, ""),
    ],
)
def test_an_edit_beyond_a_limit_is_rejected_with_value_and_limit(
    text: str, changed: str, ratio: float, outcome: EditOutcome, reason: str
) -> None:
    step = edited(Pen({text: changed}), text=text, ratio=ratio)
    after, rejected = (text, changed) if outcome.is_rejection else (changed, "")
    assert (step.edit_outcome, step.text_after, step.rejected_text) == (outcome, after, rejected)
    assert step.edit_reason.endswith(reason)


def test_the_ratio_is_of_the_original_not_of_the_current_text() -> None:
    pen = Pen({"aaaa": "bbbb"})
    for size, outcome in ((8, EditOutcome.ACCEPTED), (7, RATIO)):
        assert edited(pen, text="x" * size, current="aaaa").edit_outcome is outcome


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        (0.2, 0.9, EditOutcome.ACCEPTED),
        (None, 0.1, EditOutcome.ACCEPTED),
        (0.4, 0.4, EditOutcome.REJECTED_ENTAILMENT),
        (0.9, 0.2, EditOutcome.REJECTED_ENTAILMENT),
    ],
)
def test_an_edit_must_raise_entailment_if_known(
    before: float | None, after: float, outcome: EditOutcome
) -> None:
    step = edited(Pen({"1902": "1904"}, entailed=(before, after)))
    assert step.edit_outcome is outcome
    if outcome.is_rejection:
        assert (step.text_after, step.rejected_text) == (LONG, LONG.replace("1902", "1904"))
        reason = "The edit does not raise entailment by the evidence:"
        assert step.edit_reason == f"{reason} {before:.3f} before, {after:.3f} after."


def test_an_unreadable_reply_is_an_error_of_the_step() -> None:
    step = edited(Pen(error=UnreadableReply("No edit in it.", reply="Hm?")))
    assert (step.edit_outcome, step.text_after) == (EditOutcome.ERROR, LONG)
    assert step.error == StepError(kind="UnreadableReply", message="No edit in it.", reply="Hm?")
