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
    ready,
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
def test_keys_lead_to_the_evidence_and_back_and_open_the_context(judging: Page) -> None:
    for key in ("j", "e"):
        judging.keyboard.press(key)
    expect(judging.locator("#evidence-1")).to_be_focused()
    judging.keyboard.press("]")
    judging.keyboard.press("e")
    expect(sentence(judging, 2)).to_be_focused()
    judging.keyboard.press("e")
    expect(judging.locator("#evidence-2")).to_be_focused()
    # The context is open at first, and folded when a rater returns to the item.
    context = judging.locator("#context p")
    expect(context).to_be_visible()
    judging.keyboard.press("1")
    saved(judging)
    judging.reload()
    ready(judging)
    expect(context).to_be_hidden()
    judging.keyboard.press("t")
    expect(context).to_be_visible()


# ---- Partly, and two stages --------------------------------------------------------------------
def test_two_stages_take_one_key_a_sentence_and_one_undo(open_item: Open) -> None:
    page = open_item("attribution", options=["partly", "two_stages"])
    for key in ("4", "j", "3", "j", "1"):
        page.keyboard.press(key)
    expect(page.locator("#counts")).to_contain_text("3 of 3 sentences")
    saved(page)
    assert rows("interpretable") == {0: 0, 1: 1, 2: 1}
    assert rows() == {1: 2, 2: 1}
    page.keyboard.press("k")
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
def test_a_pair_scrolls_together_or_each_by_itself_and_folds(open_item: Open) -> None:
    before = sentences(40) + " It opened in 1934."
    run = make_long_run(before, before.replace("1934", "1932"))
    page = open_item("intent", run=run)
    fold = page.get_by_role("button", name="The next 40 sentences are the same in both")
    fold.click()
    expect(page.locator(".half.same").first).to_be_hidden()
    page.get_by_role("button", name="40 sentences that are the same in both: show them").click()
    expect(page.locator(".half.same").first).to_be_visible()
    aligned = "() => [...document.querySelectorAll('.half:last-of-type')].map((e) => e.offsetTop)"
    a, b = page.evaluate(aligned)
    assert a == b
    page.keyboard.press("s")
    side = page.locator(".side.a")
    assert side.evaluate("(e) => e.scrollHeight > e.clientHeight")
    side.focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('.side.a').scrollTop > 0")
    assert page.locator(".side.b").evaluate("(e) => e.scrollTop") == 0
    page.keyboard.press("s")
    assert not side.evaluate("(e) => e.scrollHeight > e.clientHeight && e.clientHeight > 0")


# ---- The switch that moves on after an answer -----------------------------------------------
@pytest.mark.parametrize("by_key", [True, False])
def test_an_item_of_one_question_is_submitted_by_its_answer_if_the_rater_chose_so(
    open_item: Open, by_key: bool
) -> None:
    page = open_item("intent", sides="both")
    page.keyboard.press("?")
    page.get_by_label("Move on after an answer").check()
    page.keyboard.press("Escape")
    if by_key:
        page.keyboard.press("1")
    else:
        page.get_by_role("radio", name="Somewhat similar").focus()
        page.keyboard.press("ArrowRight")  # on the way to an answer
        expect(page.locator("#saved[data-state=saved]")).to_be_visible()
        on_item(page, 1)
        page.locator("label.level").first.click()
    on_item(page, 2)
    assert Assignment.objects.exclude(submitted_at=None).count() == 1


def test_several_questions_wait_for_the_button(open_item: Open) -> None:
    page = open_item("attribution")
    page.evaluate("() => localStorage.setItem('rarrweb-move-on', '1')")
    for number in range(1, page.locator(".s").count() + 1):
        sentence(page, number).focus()
        page.keyboard.press("1")
    expect(page.locator("#saved[data-state=saved]")).to_be_visible()
    on_item(page, 1)
