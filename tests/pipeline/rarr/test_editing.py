"""Edits that are kept, and edits that stray too far."""

import pytest

from pipeline.rarr.editing import edit
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Agreement, EditOutcome, Query, StepError, TraceStep, Verdict
from tests.support.rarr_fakes import Pen, evidence, passage

LONG = "The town hall was built in 1902 by a local firm, and later burned down."


def edited(pen: Pen, *, text: str = LONG, current: str = "", **limits: float) -> TraceStep:
    return edit(
        model=pen,
        passage=passage(text),
        current=current or text,
        query=Query(text="When?"),
        evidence=evidence("It was built in 1904."),
        agreement=Agreement(verdict=Verdict.DISAGREES, reason="1902 is not 1904."),
        **{"max_characters": 50, "max_ratio": 0.5, **limits},  # type: ignore[arg-type]
    )


def test_a_small_edit_is_kept_with_the_models_reason() -> None:
    found = edited(Pen({"1902": "1904"}))
    assert found.edit_outcome is EditOutcome.KEPT
    assert (found.text_before, found.text_after) == (LONG, LONG.replace("1902", "1904"))
    assert (found.edit_reason, found.edit_distance) == ("The source says otherwise.", 1)
    assert (found.rejected_text, found.error) == ("", None)
    same = edited(Pen())
    assert (same.edit_outcome, same.text_after) == (EditOutcome.UNCHANGED, LONG)
    assert same.edit_distance == 0


def test_an_edit_of_too_many_characters_is_rejected_with_figure_and_limit() -> None:
    pen = Pen({"town hall": "x" * 60})
    found = edited(pen, max_ratio=9.0)
    assert found.edit_outcome is EditOutcome.REJECTED_CHARACTERS
    assert found.text_after == LONG
    assert found.rejected_text == LONG.replace("town hall", "x" * 60)
    assert found.edit_distance == 60
    assert found.edit_reason == "The edit changes 60 characters; the limit is 50."


def test_an_edit_of_too_great_a_share_is_rejected_with_figure_and_limit() -> None:
    found = edited(Pen({"born": "had a child"}), text="He was born.")
    assert found.edit_outcome is EditOutcome.REJECTED_RATIO
    assert found.text_after == "He was born."
    assert "of the original's 12; the limit is 0.5." in found.edit_reason


def test_the_limits_themselves_are_still_kept() -> None:
    assert edited(Pen({LONG: LONG + "y" * 50}), max_ratio=9.0).edit_outcome is EditOutcome.KEPT
    assert edited(Pen({"abcdefgh": "abcdWXYZ"}), text="abcdefgh").edit_outcome is EditOutcome.KEPT


def test_the_share_is_of_the_original_not_of_the_current_text() -> None:
    pen = Pen({"aaaa": "bbbb"})
    kept = edited(pen, text="x" * 8, current="aaaa")
    rejected = edited(pen, text="x" * 7, current="aaaa")
    assert (kept.edit_outcome, rejected.edit_outcome) == (
        EditOutcome.KEPT,
        EditOutcome.REJECTED_RATIO,
    )


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        (0.2, 0.9, EditOutcome.KEPT),
        (None, 0.1, EditOutcome.KEPT),
        (0.4, 0.4, EditOutcome.REJECTED_ENTAILMENT),
        (0.9, 0.2, EditOutcome.REJECTED_ENTAILMENT),
    ],
)
def test_an_edit_must_raise_entailment_where_the_model_knows_it(
    before: float | None, after: float, outcome: EditOutcome
) -> None:
    found = edited(Pen({"1902": "1904"}, entailed=(before, after)))
    assert found.edit_outcome is outcome
    if outcome.is_rejection:
        assert (found.text_after, found.rejected_text) == (LONG, LONG.replace("1902", "1904"))
        assert found.edit_reason == (
            "The edit does not raise entailment by the evidence: "
            f"{before:.3f} before, {after:.3f} after."
        )


def test_a_model_that_deletes_the_text_is_rejected() -> None:
    assert edited(Pen({LONG: ""})).edit_outcome is EditOutcome.REJECTED_CHARACTERS
    assert edited(Pen({"Yes.": ""}), text="Yes.").edit_outcome is EditOutcome.REJECTED_RATIO


def test_an_unreadable_reply_keeps_the_text_and_names_the_error() -> None:
    found = edited(Pen(error=UnreadableReply("No edit in it.", reply="Hm?")))
    assert (found.edit_outcome, found.text_after) == (EditOutcome.ERROR, LONG)
    assert found.error == StepError(kind="UnreadableReply", message="No edit in it.", reply="Hm?")
