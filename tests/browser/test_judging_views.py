"""Evidence, context, two stages and pairs on the judging pages."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Assignment
from pipeline.models import Run
from tests.browser.judging import (
    Open,
    campaign,
    judging,
    on_item,
    open_item,
    rows,
    saved,
    sentence,
)
from tests.support.campaigns import REPORT
from tests.support.factories import make_passage, make_revision, make_run

__all__ = ["campaign", "judging", "open_item"]  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]


def make_long_run(text: str, revised: str = "") -> Run:
    run = make_run(state=Run.State.FINISHED)
    passage = make_passage(run.dataset, text=text, context="What of it?")
    make_revision(run, passage=passage, state="done", text=revised or text, result=REPORT)
    return run


def sentences(count: int, first: int = 1) -> str:
    return " ".join(f"This is number {number}." for number in range(first, first + count))


# ---- Evidence and context -----------------------------------------------------------------------
def test_keys_lead_to_the_evidence_and_back(judging: Page) -> None:
    for key in ("j", "e"):
        judging.keyboard.press(key)
    expect(judging.locator("#evidence-1")).to_be_focused()
    judging.keyboard.press("]")
    judging.keyboard.press("e")
    expect(sentence(judging, 2)).to_be_focused()
    judging.keyboard.press("e")
    expect(judging.locator("#evidence-2")).to_be_focused()


def test_arrows_on_a_narrow_window_move_the_sentence_and_leave_the_evidence(judging: Page) -> None:
    judging.set_viewport_size({"width": 390, "height": 700})
    evidence = judging.locator(".evidence-pane")
    evidence.evaluate("pane => { pane.scrollTop = 60 }")
    judging.get_by_role("radio", name="Fully").click()
    judging.get_by_role("button", name="Next sentence").click()
    expect(judging.locator("#current-sentence")).to_have_text("Sentence 2 of 3")
    assert evidence.evaluate("pane => pane.scrollTop") == 60
    expect(sentence(judging, 1)).to_have_attribute("data-value", "1")
    saved(judging)


# ---- Partly, and two stages --------------------------------------------------------------------
def test_two_stages_take_one_key_a_sentence_and_one_undo(open_item: Open) -> None:
    page = open_item("attribution", options=["partly", "two_stages"])
    for key in ("4", "3", "1"):
        page.keyboard.press(key)
    expect(page.locator("#counts")).to_contain_text("3 of 3 sentences")
    saved(page)
    assert rows("interpretable") == {0: 0, 1: 1, 2: 1}
    assert rows() == {1: 2, 2: 1}
    sentence(page, 2).focus()
    page.keyboard.press("4")
    expect(page.locator("#announcement")).to_have_text(
        re.compile("sentence 2 of 3, unclear, cannot be understood, saved")
    )
    assert rows() == {1: None, 2: 1}
    page.keyboard.press("Control+z")
    expect(sentence(page, 2)).to_have_attribute("data-value", "2")
    saved(page)
    page.keyboard.press("Control+Enter")
    on_item(page, 2)
    assert rows("interpretable") == {0: 0, 1: 1, 2: 1}
    assert rows() == {1: 2, 2: 1}


def test_clicks_pass_through_no_partly_before_not(open_item: Open) -> None:
    page = open_item("attribution", options=["partly"])
    for state in ("1", "0", "2", ""):
        sentence(page, 1).click()
        expect(sentence(page, 1)).to_have_attribute("data-value", state)
        page.wait_for_timeout(60)
    saved(page)


# ---- A pair ------------------------------------------------------------------------------------
def test_a_pair_is_aligned_by_sentence_with_its_differences_marked(open_item: Open) -> None:
    before = sentences(40) + " It opened in 1934."
    run = make_long_run(before, before.replace("1934", "1932"))
    page = open_item("intent", run=run)
    expect(page.locator(".pair tbody tr")).to_have_count(41)
    marks = [
        each.removeprefix(f"only in {side}: ")
        for side, each in zip("AB", page.locator(".pair mark").all_text_contents(), strict=True)
    ]
    assert sorted(marks) == ["1932", "1934"]
    expect(page.get_by_text("Passages A and B are identical.")).to_have_count(0)


# ---- Moving on ---------------------------------------------------------------------------------
def test_a_key_answers_and_moves_on_unless_the_rater_switched_that_off(open_item: Open) -> None:
    page = open_item("attribution")
    for key in ("2", "1"):
        page.keyboard.press(key)
    expect(sentence(page, 3)).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys").get_by_role("checkbox")).to_have_count(2)
    page.get_by_label("Move on").uncheck()
    page.keyboard.press("Escape")
    sentence(page, 1).focus()
    page.keyboard.press("1")
    expect(sentence(page, 1)).to_be_focused()
    saved(page)
    assert rows() == {0: 1, 1: 1}


def test_an_item_waits_for_the_button_when_all_is_answered(open_item: Open) -> None:
    page = open_item("intent", sides="both")
    page.keyboard.press("1")
    saved(page)
    on_item(page, 1)
    assert not Assignment.objects.submitted().exists()
