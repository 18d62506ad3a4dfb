"""What a rater can switch on for long hours: marked words, handing in at once; and the pause."""

import re

import pytest
from playwright.sync_api import expect

from annotation.models import Assignment
from pipeline.models import Run
from tests.browser.judging import Open, on_item, open_item, ready, sentence, wait_until
from tests.support.factories import make_passage, make_revision, make_run

__all__ = ["open_item"]  # a fixture

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

MARKED = "() => [...CSS.highlights.get('shared-words') ?? []].map((each) => each.toString())"
BEFORE_50_MINUTES = """() => sessionStorage.setItem(
    "rarrweb-at-work", JSON.stringify([49 * 60_000, Date.now() - 4 * 60_000]))"""
AFTER_50_MINUTES = """() => sessionStorage.setItem(
    "rarrweb-at-work", JSON.stringify([49.75 * 60_000, Date.now() - 4 * 60_000]))"""
AFTER_A_PAUSE = """() => sessionStorage.setItem(
    "rarrweb-at-work", JSON.stringify([51 * 60_000, Date.now() - 6 * 60_000]))"""


@pytest.mark.parametrize("kind", ["attribution", "citation"])
def test_words_of_the_sentence_are_marked_in_the_evidence_and_this_is_told(
    open_item: Open, kind: str
) -> None:
    page = open_item(kind)
    switch = page.get_by_role("button", name="Shared words")
    expect(switch).to_have_attribute("aria-pressed", "false")
    assert page.evaluate(MARKED) == []
    page.goto("/")
    wait_until(lambda: bool(Assignment.objects.get().visits), page)  # it said that it goes
    assert not Assignment.objects.get().shared_words
    page.go_back()
    ready(page)
    if kind == "citation":
        page.keyboard.press("j")  # the first question is about the whole answer
    page.keyboard.press("w")
    expect(switch).to_have_attribute("aria-pressed", "true")
    said = page.locator("#current-words, .part:has(.here) .says .text").first.text_content() or ""
    marked = page.evaluate(MARKED)
    assert marked
    assert {each.lower() for each in marked} <= set(re.findall(r"\w+", said.lower()))
    assert not {"the", "in"} & set(marked)
    page.goto("/")
    wait_until(lambda: Assignment.objects.get().shared_words, page)
    page.go_back()
    ready(page)
    expect(switch).to_have_attribute("aria-pressed", "true")  # kept in this browser


def test_the_words_that_say_something_are_marked_in_any_script(open_item: Open) -> None:
    text = "The tower’s lift [1] is old. 鉄道橋は1932年に開通した。"
    shown = "1 lift in the tower. 鉄道橋は有名だ。"
    run = make_run(state=Run.State.FINISHED)
    report = {"report": {"evidence": [{"title": "", "url": "", "text": shown}]}}
    make_revision(
        run, passage=make_passage(run.dataset, text=text), state="done", text=text, result=report
    )
    page = open_item("attribution", run=run)
    page.keyboard.press("w")
    assert page.evaluate(MARKED) == ["lift", "tower"]
    page.keyboard.press("j")
    assert page.evaluate(MARKED) == ["鉄道"]


@pytest.mark.parametrize("by_key", [True, False])
def test_an_item_of_one_question_is_submitted_by_its_answer_for_who_wants_that(
    open_item: Open, by_key: bool
) -> None:
    page = open_item("intent", sides="both")
    page.keyboard.press("?")
    page.get_by_label("Submit an item of one question").check()
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
    page.evaluate("() => localStorage.setItem('rarrweb-hand-in-after-a-key', '1')")
    for number in range(1, page.locator(".s").count() + 1):
        sentence(page, number).focus()
        page.keyboard.press("1")
    expect(page.locator("#saved[data-state=saved]")).to_be_visible()
    on_item(page, 1)


def test_a_pause_is_proposed_after_fifty_minutes_without_one(open_item: Open) -> None:
    page = open_item("attribution")
    line = page.get_by_text("You have judged for 50 minutes.")
    expect(line).to_be_hidden()
    page.evaluate(AFTER_A_PAUSE)
    page.reload()
    ready(page)
    expect(line).to_be_hidden()
    page.evaluate(BEFORE_50_MINUTES)
    page.reload()
    ready(page)
    expect(line).to_be_hidden()  # of four minutes without input half a one was work
    page.evaluate(AFTER_50_MINUTES)
    page.reload()
    ready(page)
    expect(line).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    expect(line).to_be_hidden()
    sentence(page, 1).click()
    expect(line).to_be_hidden()
