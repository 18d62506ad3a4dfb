"""The judging page in a real browser: by mouse, by keyboard, on a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotation.judging.releases import send_back
from annotation.models import Assignment
from rarrweb.accounts.models import User
from tests.browser.chromium import expect_fits
from tests.browser.judging import campaign, judging, on_item, radio, ready, rows, saved, sentence
from tests.support.campaigns import judge_everything

__all__ = ["campaign", "judging"]  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_an_item_is_judged_with_the_keyboard_alone(judging: Page) -> None:
    for key in ("1", "2", "Space", "Space", "n"):  # each key of an answer moves on
        judging.keyboard.press(key)
    expect(judging.locator("#evidence-2")).to_be_focused()
    for key in ("u", "[", "n", "u"):
        judging.keyboard.press(key)
    judging.keyboard.press("c")
    judging.keyboard.type("Hard: 1 or 2?")
    judging.keyboard.press("Escape")
    expect(sentence(judging, 3)).to_be_focused()
    saved(judging)
    judging.keyboard.press("Control+Enter")
    on_item(judging, 2)
    assert rows() == {0: True, 1: False, 2: False}
    assert rows("useful") == {0: True, 1: True}
    first = Assignment.objects.submitted().get()
    assert first.comment == "Hard: 1 or 2?"
    judging.keyboard.press("Alt+ArrowLeft")
    expect(judging).to_have_url(re.compile(f"/tasks/{first.pk}/$"))
    ready(judging)
    expect(sentence(judging, 2)).to_have_attribute("data-value", "0")
    judging.keyboard.press("Alt+ArrowRight")
    on_item(judging, 2)


def test_a_drag_a_double_click_and_a_bouncing_button(judging: Page) -> None:
    first = sentence(judging, 1)
    box = first.bounding_box()
    assert box is not None
    judging.mouse.move(box["x"] + 30, box["y"] + 10)
    judging.mouse.down()
    judging.mouse.move(box["x"] + 120, box["y"] + 10, steps=5)
    judging.mouse.up()
    assert judging.evaluate("getSelection().toString()") != ""
    expect(first).to_have_attribute("data-value", "")
    assert rows() == {}
    judging.evaluate("getSelection().empty()")
    judging.wait_for_timeout(60)  # else a click so soon after the drag counts as a bounce
    judging.mouse.move(box["x"] + 60, box["y"] + 10)
    for count in (1, 2):
        judging.mouse.down(click_count=count)
        judging.mouse.up(click_count=count)
        judging.wait_for_timeout(60)
    expect(first).to_have_attribute("data-value", "0")
    saved(judging)
    assert rows() == {0: False}
    assert judging.evaluate("getSelection().toString()") == ""
    # Two clicks within 40 ms: made in the page, since the driver cannot be that quick for sure.
    judging.evaluate(
        """() => {
            const element = document.getElementById("sentence-1");
            for (const type of ["pointerdown", "click", "pointerdown", "click"]) {
                const about = {bubbles: true, detail: 1, clientX: 5, clientY: 5};
                const kind = type === "click" ? MouseEvent : PointerEvent;
                element.dispatchEvent(new kind(type, about));
            }
        }"""
    )
    expect(first).to_have_attribute("data-value", "")
    saved(judging)


def test_undo_and_redo_save_like_any_answer_and_leave_the_evidence_where_it_is(
    judging: Page,
) -> None:
    judging.set_viewport_size({"width": 390, "height": 500})
    sentence(judging, 1).click()
    radio(judging, "Not attributable").click()
    pane = judging.locator(".evidence-pane")
    scrolled = pane.evaluate("pane => (pane.scrollTop = 40, pane.scrollTop)")
    judging.keyboard.press("Control+z")
    expect(sentence(judging, 1)).to_have_attribute("data-value", "1")
    assert pane.evaluate("pane => pane.scrollTop") == scrolled == 40
    saved(judging)
    assert rows() == {0: True}
    judging.keyboard.press("Control+Shift+Z")
    expect(sentence(judging, 1)).to_have_attribute("data-value", "0")
    judging.wait_for_timeout(50)
    saved(judging)
    assert rows() == {0: False}


def test_an_incomplete_item_is_not_submitted_and_the_first_gap_gets_the_focus(
    judging: Page,
) -> None:
    sentence(judging, 1).click()
    judging.get_by_role("button", name="Submit and next").click()
    expect(judging.get_by_role("alert")).to_contain_text("Sentences 2, 3 are not judged")
    expect(sentence(judging, 2)).to_be_focused()
    judging.keyboard.press("k")
    judging.keyboard.press("g")
    expect(sentence(judging, 2)).to_be_focused()
    judging.keyboard.press("1")
    expect(sentence(judging, 3)).to_be_focused()
    judging.keyboard.press("2")
    expect(judging.locator("#gaps")).to_be_hidden()


def test_keys_are_dead_in_the_comment_in_a_dialog_and_when_switched_off(judging: Page) -> None:
    judging.locator("#comment").click()
    judging.keyboard.type("12un j0 gi?")
    expect(judging.locator("#comment")).to_have_value("12un j0 gi?")
    expect(judging.locator("dialog[open]")).to_have_count(0)
    judging.keyboard.press("Escape")
    judging.keyboard.press("i")
    expect(judging.get_by_role("dialog", name="Instructions")).to_be_visible()
    judging.keyboard.press("1")
    judging.keyboard.press("Escape")
    judging.keyboard.press("?")
    expect(judging.get_by_role("dialog", name="Keys")).to_be_visible()
    judging.keyboard.press("Escape")
    saved(judging)  # the comment
    assert rows() == {}
    assert rows("useful") == {}
    judging.keyboard.press("?")
    judging.get_by_label("Use single keys").uncheck()
    judging.keyboard.press("Escape")
    judging.keyboard.press("1")
    expect(sentence(judging, 1)).to_have_attribute("data-value", "")
    judging.keyboard.press("ArrowDown")
    expect(sentence(judging, 2)).to_be_focused()


def test_the_toolbar_by_arrows_and_evidence_rated_and_reset(judging: Page) -> None:
    radio(judging, "Fully attributable").focus()
    judging.keyboard.press("ArrowRight")
    expect(radio(judging, "Not attributable")).to_be_focused()
    expect(sentence(judging, 1)).to_have_attribute("data-value", "")
    judging.keyboard.press("Space")
    expect(radio(judging, "Not attributable")).to_be_checked()
    saved(judging)
    assert rows() == {0: False}
    radio(judging, "Not attributable").click()  # again: take it back
    saved(judging)
    assert rows() == {0: None}
    useful = judging.locator("#evidence-2").get_by_role("button", name="Not useful")
    useful.click()
    expect(useful).to_have_attribute("aria-pressed", "true")
    useful.click()
    expect(useful).to_have_attribute("aria-pressed", "false")
    saved(judging)
    assert rows("useful") == {1: None}


def test_on_a_phone_everything_fits_and_the_focus_is_never_behind_the_footer(
    judging: Page,
) -> None:
    judging.set_viewport_size({"width": 390, "height": 700})
    expect_fits(judging)
    footer = judging.locator(".task-bar").bounding_box()
    assert footer is not None
    for number in (1, 2, 3):
        judging.keyboard.press("1")
        box = sentence(judging, number).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= footer["y"]
    judging.keyboard.press("]")
    box = judging.locator("#evidence-2").bounding_box()
    assert box is not None
    assert box["y"] < footer["y"]
    saved(judging)
    assert rows() == {0: True, 1: True, 2: True}


def test_names_have_no_keys_and_a_phone_leads_to_the_comment(judging: Page) -> None:
    for name in ("Useful", "Not useful", "Undo", "Comment"):
        expect(judging.get_by_role("button", name=name, exact=True).first).to_be_visible()
    for name in ("Fully attributable", "Not attributable"):
        expect(judging.get_by_role("radio", name=name, exact=True)).to_be_visible()
    judging.set_viewport_size({"width": 390, "height": 700})
    judging.get_by_role("button", name="Comment", exact=True).click()
    expect(judging.locator("#comment")).to_be_focused()
    expect(judging.locator("#comment")).to_be_in_viewport()


def test_a_submitted_item_stays_submitted_until_a_researcher_sends_it_back(
    judging: Page, researcher: User, console_errors: list[str]
) -> None:
    assignment = Assignment.objects.get()
    judge_everything(assignment)
    judging.reload()
    ready(judging)
    expect(judging.get_by_text("You have submitted this item.")).to_be_visible()
    judging.keyboard.press("2")
    saved(judging)
    expect(judging.get_by_text("You have submitted this item.")).to_be_visible()
    judging.keyboard.press("Space")  # the next in the cycle, but for "not judged"
    saved(judging)
    assert rows() == {0: True, 1: True, 2: True}
    judging.keyboard.press("0")
    expect(judging.locator("[data-chip]")).to_have_text(
        "! Not saved: This item is submitted, so it needs every required answer. "
        "Sentence 1 is not judged."
    )
    judging.keyboard.press("2")
    saved(judging)
    assert rows() == {0: False, 1: True, 2: True}
    expect(judging.get_by_text("You have submitted this item.")).to_be_visible()
    assignment.refresh_from_db()
    assert assignment.submitted_at is not None
    console_errors.clear()  # the browser logs the refusal
    send_back(assignment, by=researcher)
    judging.keyboard.press("1")
    expect(judging.get_by_role("alert")).to_have_text(
        "A researcher has sent this item back to you. Submit it again when you are done."
    )
    expect(judging.get_by_text("You have submitted this item.")).to_be_hidden()
