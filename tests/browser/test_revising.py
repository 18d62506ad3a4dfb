"""Manual revision in a real browser: all of it with the mouse alone, and all of it by keys."""

import re
from collections.abc import Iterator

import pytest
from django.db.models import Max
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Judgment
from tests.browser.axe import OF_SIZE, violations
from tests.browser.chromium import new_context
from tests.browser.effort import Effort
from tests.browser.judging import on_item, open_item, ready, revising, saved
from tests.browser.widths import expect_fits
from tests.support.campaigns import TEXT

__all__ = ["open_item", "revising"]  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

RIGHT = TEXT.replace("1934", "1932")
WITHOUT_SECOND = "The bridge opened in 1934. Nobody painted it."
MARK = """([selector, words]) => {
    const element = document.querySelector(selector);
    const node = [...element.childNodes].find((each) => each.textContent.includes(words));
    const start = node.textContent.indexOf(words);
    getSelection().setBaseAndExtent(node, start, node, start + words.length);
}"""
BOXES = """([selector, words]) => {
    const element = document.querySelector(selector);
    const node = [...element.childNodes].find((each) => each.textContent.includes(words));
    const range = document.createRange();
    const start = node.textContent.indexOf(words);
    range.setStart(node, start);
    range.setEnd(node, start + words.length);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    return { left, right, y: (top + bottom) / 2 };
}"""


@pytest.fixture
def field(revising: Page) -> Locator:
    return revising.get_by_label("The passage, to edit")


def text_saved() -> str:
    return str(Judgment.objects.get().text)


def drag_over(page: Page, words: str, *, of: str) -> None:
    """Mark words of a source as a hand does: press, drag, let go."""
    page.locator(of).scroll_into_view_if_needed()
    box = page.evaluate(BOXES, [of, words])
    page.mouse.move(box["left"] + 1, box["y"])
    page.mouse.down()
    page.mouse.move(box["right"] - 1, box["y"], steps=5)
    page.mouse.up()


def point_at(field: Locator, words: str) -> dict[str, float]:
    """Where words of a text field are on the screen: a copy of the field, laid over it, knows."""
    place: dict[str, float] = field.evaluate(
        """(field, words) => {
            const copy = document.createElement("div");
            const style = getComputedStyle(field);
            for (const name of ["font", "padding", "border", "width", "letterSpacing"])
                copy.style[name] = style[name];
            const { left, top } = field.getBoundingClientRect();
            Object.assign(copy.style, { position: "fixed", left: `${left}px`, top: `${top}px`,
                boxSizing: "border-box", whiteSpace: "pre-wrap", visibility: "hidden" });
            copy.textContent = field.value;
            document.body.append(copy);
            const range = document.createRange();
            const start = field.value.indexOf(words);
            range.setStart(copy.firstChild, start);
            range.setEnd(copy.firstChild, start + words.length);
            const box = range.getBoundingClientRect();
            copy.remove();
            return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
        }""",
        words,
    )
    return place


# ---- With the mouse alone ----------------------------------------------------------------------
def test_a_wrong_value_gives_way_to_the_evidences(revising: Page, field: Locator) -> None:
    effort = Effort(revising, "manual_revision, mouse, a year of the evidence", fewest=3)
    place = point_at(field, "1934")
    revising.mouse.dblclick(place["x"], place["y"])
    drag_over(revising, "1932", of="#evidence-1 .text")
    revising.get_by_role("button", name="Put it in place of “1934”").click()
    expect(field).to_have_value(RIGHT)
    expect(revising.locator("#changes del")).to_contain_text("1934")
    expect(revising.locator("#distance")).to_contain_text("1 character changed")
    expect(revising.locator("#says")).to_contain_text(
        "“1932” in place of “1934”, 1 character changed, saved"
    )
    saved(revising)
    assert text_saved() == RIGHT
    effort.hand_in(by_key=False)
    on_item(revising, 2)
    assert (effort.clicks, effort.keys) == (5, 0)
    assert text_saved() == RIGHT


def test_the_evidence_may_be_marked_first(revising: Page, field: Locator) -> None:
    drag_over(revising, "1932", of="#evidence-1 .text")
    says = revising.locator("#put-says")
    expect(says).to_contain_text("“1932” is marked. Click in the passage where it belongs")
    expect(revising.locator("#put-in")).to_be_hidden()
    place = point_at(field, "1934")
    revising.mouse.dblclick(place["x"], place["y"])
    expect(says).to_have_text("“1932” is marked.")
    revising.get_by_role("button", name="Put it in place of “1934”").click()
    expect(field).to_have_value(RIGHT)
    revising.locator("#put").get_by_role("button", name="Undo").click()
    expect(field).to_have_value(TEXT)
    expect(revising.locator("#put")).to_be_hidden()
    expect(revising.locator("#counts")).to_have_text("Not revised yet")
    saved(revising)


def test_words_go_in_at_the_cursor_with_their_space(revising: Page, field: Locator) -> None:
    place = point_at(field, " Nobody")
    revising.mouse.click(place["x"], place["y"])
    field.evaluate("(field) => field.setSelectionRange(57, 57)")  # after "lines."
    revising.mouse.move(10, 10)
    drag_over(revising, "opened in 1932", of="#evidence-1 .text")
    revising.get_by_role("button", name="Put it in after “railway lines.”").click()
    expect(field).to_have_value(TEXT.replace("lines.", "lines. opened in 1932"))
    saved(revising)


def test_a_word_is_marked_and_deleted_with_its_space(revising: Page, field: Locator) -> None:
    cut = revising.get_by_role("button", name="Delete selection")
    expect(cut).to_be_disabled()
    place = point_at(field, "railway")
    revising.mouse.dblclick(place["x"], place["y"])
    cut.click()
    expect(field).to_have_value(TEXT.replace("two railway lines", "two lines"))
    expect(cut).to_be_disabled()
    revising.get_by_role("button", name="Undo").first.click()
    expect(field).to_have_value(TEXT)
    revising.get_by_role("button", name="Redo").click()
    saved(revising)
    assert text_saved() == TEXT.replace("two railway lines", "two lines")


def test_a_sentence_is_left_out_put_back_and_undone(revising: Page, field: Locator) -> None:
    row = revising.locator("#originals li").nth(1)
    row.get_by_role("button", name="Leave out sentence 2").click()
    expect(field).to_have_value(WITHOUT_SECOND)
    expect(row.locator("[data-state]")).to_have_text("left out")
    expect(row.get_by_role("button", name="Leave out")).to_be_hidden()
    expect(row.get_by_role("button", name="Put back sentence 2")).to_be_focused()
    expect(revising.locator("#says")).to_contain_text("sentence 2 left out")
    saved(revising)
    assert text_saved() == WITHOUT_SECOND
    row.get_by_role("button", name="Put back sentence 2").click()
    expect(field).to_have_value(TEXT)
    expect(row.locator("[data-state]")).to_be_hidden()
    undo = revising.get_by_role("button", name="Undo").first
    undo.click()
    expect(field).to_have_value(WITHOUT_SECOND)
    undo.click()
    expect(field).to_have_value(TEXT)
    expect(revising.locator("#counts")).to_have_text("Not revised yet")
    saved(revising)


def test_words_of_the_original_come_back(revising: Page, field: Locator) -> None:
    field.fill(TEXT.replace("two railway", "some"))
    row = revising.locator("#originals li").nth(1)
    expect(row.locator("[data-state]")).to_have_text("changed")
    place = point_at(field, "some")
    revising.mouse.dblclick(place["x"], place["y"])
    drag_over(revising, "two railway", of="#originals li:nth-child(2) [data-source]")
    revising.get_by_role("button", name="Put it in place of “some”").click()
    expect(field).to_have_value(TEXT)
    expect(row.locator("[data-state]")).to_be_hidden()
    saved(revising)


def test_what_was_marked_can_be_dropped(revising: Page) -> None:
    drag_over(revising, "1932", of="#evidence-1 .text")
    bar = revising.locator("#put")
    expect(bar).to_be_visible()
    bar.get_by_role("button", name="Close").click()
    expect(bar).to_be_hidden()
    drag_over(revising, "railway", of="#evidence-1 .text")
    expect(bar).to_contain_text("“railway” is marked.")
    revising.locator("#evidence-2 .text").click()
    expect(bar).to_be_hidden()


# ---- By keys alone -----------------------------------------------------------------------------
def test_the_same_by_keys(revising: Page, field: Locator) -> None:
    effort = Effort(revising, "manual_revision, keys, a year and a sentence", fewest=7)
    revising.keyboard.press("e")
    for key in ("Control+Home", *["Control+ArrowRight"] * 4, "ArrowRight"):
        revising.keyboard.press(key)
    for key in (*["Shift+ArrowRight"] * 4, "Escape"):
        revising.keyboard.press(key)  # "1934" is marked
    revising.keyboard.press("]")
    revising.keyboard.press("[")
    expect(revising.locator("#evidence-1")).to_be_focused()
    for _ in range(5):
        revising.keyboard.press("ArrowRight")
    expect(revising.locator("#says")).to_have_text(re.compile("“1932” is marked"))
    revising.keyboard.press("Shift+ArrowRight")
    expect(revising.locator("#put-says")).to_have_text("“1932 and” is marked.")
    revising.keyboard.press("Shift+ArrowLeft")
    revising.keyboard.press("p")
    expect(field).to_have_value(RIGHT)
    expect(revising.locator("#put-says")).to_have_text("“1932” in place of “1934”.")
    revising.keyboard.press("Escape")
    expect(revising.locator("#put")).to_be_hidden()
    for key in ("j", "j", "o"):
        revising.keyboard.press(key)
    without_third = RIGHT.replace(" Nobody painted it.", "")
    expect(field).to_have_value(without_third)
    expect(revising.locator("#says")).to_contain_text("sentence 3 left out")
    for key in ("o", "k", "o", "b", "j", "o"):  # out and back again
        revising.keyboard.press(key)
    expect(field).to_have_value(without_third)
    revising.keyboard.press("Control+z")
    expect(field).to_have_value(RIGHT)
    revising.keyboard.press("Escape")  # the undo went to the passage
    revising.keyboard.press("Control+Shift+z")
    expect(field).to_have_value(without_third)
    revising.keyboard.press("Escape")
    effort.hand_in(by_key=True)
    on_item(revising, 2)
    assert effort.clicks == 0
    assert text_saved() == without_third


def test_nothing_marked_is_said(revising: Page) -> None:
    revising.keyboard.press("p")
    expect(revising.locator("#says")).to_have_text("Nothing is marked in the evidence.")


def test_the_sentence_with_the_cursor_is_the_one_that_a_key_leaves_out(
    revising: Page, field: Locator
) -> None:
    revising.keyboard.press("e")
    revising.keyboard.press("Control+End")
    revising.keyboard.press("Escape")
    revising.keyboard.press("o")
    expect(field).to_have_value(TEXT.replace(" Nobody painted it.", ""))
    saved(revising)


# ---- The browser's own undo, and what is saved --------------------------------------------------
def test_the_fields_own_undo_knows_what_the_buttons_did(revising: Page, field: Locator) -> None:
    field.press("Control+End")
    revising.keyboard.insert_text(" Really.")
    revising.get_by_role("button", name="Leave out sentence 2").click()
    expect(field).to_have_value(f"{WITHOUT_SECOND} Really.")
    saved(revising)
    field.focus()
    for wanted in (f"{TEXT} Really.", TEXT):
        revising.keyboard.press("Control+z")
        expect(field).to_have_value(wanted)
    revising.keyboard.press("Control+Shift+z")
    revising.keyboard.press("Control+Shift+z")
    expect(field).to_have_value(f"{WITHOUT_SECOND} Really.")
    expect(revising.locator("#originals li").nth(1)).to_have_attribute("data-state", "gone")
    revising.keyboard.press("Escape")
    saved(revising)
    assert text_saved() == f"{WITHOUT_SECOND} Really."


def test_each_button_is_an_answer_of_its_own(revising: Page) -> None:
    for number in (3, 1):
        revising.get_by_role("button", name=f"Leave out sentence {number}").click()
        saved(revising)
    revising.reload()
    ready(revising)
    field = revising.get_by_label("The passage, to edit")
    expect(field).to_have_value("It carries two railway lines.")
    for row, state in enumerate(("gone", "kept", "gone")):
        expect(revising.locator("#originals li").nth(row)).to_have_attribute("data-state", state)
    assert Judgment.objects.aggregate(last=Max("sequence"))["last"] > 2


# ---- On a phone --------------------------------------------------------------------------------
@pytest.fixture
def phone(browser: Browser, live_server: LiveServer, revising: Page) -> Iterator[Page]:
    """The same item on a phone: narrow, and with fingers."""
    opened = new_context(
        browser,
        base_url=live_server.url,
        viewport={"width": 390, "height": 800},
        has_touch=True,
        is_mobile=True,
        storage_state=revising.context.storage_state(),
    )
    address = revising.url
    page = opened.new_page()
    page.goto(address)
    ready(page)
    yield page
    expect(page.locator("#saved[data-state=saving]")).to_have_count(0)
    opened.close()


def test_a_finger_marks_and_the_bar_is_in_its_reach(phone: Page) -> None:
    field = phone.get_by_label("The passage, to edit")
    field.tap()
    expect(field).to_be_focused()
    field.evaluate("(field) => field.setSelectionRange(21, 25)")
    phone.locator("#evidence-1").scroll_into_view_if_needed()
    # What a long press does, its handles and all, is the system's.
    phone.evaluate(MARK, ["#evidence-1 .text", "1932"])
    button = phone.get_by_role("button", name="Put it in place of “1934”")
    box = button.bounding_box()
    footer = phone.locator(".task-bar").bounding_box()
    marked = phone.evaluate(BOXES, ["#evidence-1 .text", "1932"])
    assert box is not None
    assert footer is not None
    assert box["height"] >= 44
    assert 400 < box["y"] < box["y"] + box["height"] <= footer["y"]
    bar = phone.locator("#put").bounding_box()
    assert bar is not None
    assert marked["y"] < bar["y"], "the bar lies over what is marked"
    expect_fits(phone)
    button.tap()
    expect(field).to_have_value(RIGHT)
    phone.get_by_role("button", name="Leave out sentence 3").tap()
    expect(field).to_have_value(RIGHT.replace(" Nobody painted it.", ""))
    expect(field).not_to_be_focused()  # or the keyboard would come up
    saved(phone)


def test_the_bar_and_the_sentences_break_no_rule(revising: Page) -> None:
    revising.get_by_role("button", name="Leave out sentence 3").click()
    revising.get_by_label("The passage, to edit").press("End")
    drag_over(revising, "1932", of="#evidence-1 .text")
    expect(revising.locator("#put-in")).to_be_visible()
    saved(revising)
    for scheme in ("light", "dark"):
        revising.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert violations(revising) == []
    revising.set_viewport_size({"width": 390, "height": 800})
    assert violations(revising, only=OF_SIZE) == []
    revising.set_viewport_size({"width": 320, "height": 640})
    expect_fits(revising)
