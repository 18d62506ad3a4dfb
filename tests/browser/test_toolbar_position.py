"""The toolbar is next to the current sentence, and covers neither it nor the footer."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.judging import Open, open_item, ready, saved, sentence
from tests.browser.test_judging_views import make_long_run

__all__ = ["open_item"]  # a fixture

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

SENTENCES = 8
PASSAGE = " ".join(
    f"The bridge number {number} opened in 19{number:02}, long before those who lived beside it "
    "had painted it red for the first time."
    for number in range(SENTENCES)
)
GEOMETRY = """async () => {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
    const box = (each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return { left, right, top, bottom };
    };
    const here = document.querySelector(".s.here");
    const isPhone = innerWidth <= 600; // there the answers stick by themselves
    return {
        toolbar: box(document.querySelector(isPhone ? ".passage .bar .radios" : ".passage .bar")),
        buttons: [...document.querySelectorAll(".passage .bar button:not([data-move])")]
            .filter((each) => !isPhone || each.role === "radio").map(box),
        answers: [...document.querySelectorAll(".passage .bar [role=radio]")].map(box),
        footer: box(document.querySelector(".task-bar")),
        card: box(document.querySelector(isPhone ? ".task-columns" : ".passage")),
        lines: [...here.getClientRects()].map(({ left, right, top, bottom }) =>
            ({ left, right, top, bottom })),
        height: innerHeight,
        width: document.documentElement.clientWidth,
        textTop: document.querySelector("#sentence-8").getBoundingClientRect().top + scrollY,
    };
}"""

Box = dict[str, float]


def cover(one: Box, other: Box) -> bool:
    is_next_to = one["right"] <= other["left"] or other["right"] <= one["left"]
    is_above = one["bottom"] <= other["top"] or other["bottom"] <= one["top"]
    return not is_next_to and not is_above


def measure(page: Page) -> dict[str, Any]:
    boxes: dict[str, Any] = page.evaluate(GEOMETRY)
    return boxes


SIZES = [
    (1280, 800, True),
    (640, 400, True),
    (640, 512, True),
    (1000, 700, False),
    (390, 800, False),
]
"""Width, height, and whether there is room for the toolbar beside the sentence."""


@pytest.mark.parametrize("options", [(), ("partly", "two_stages")])
def test_the_toolbar_goes_along_with_the_sentence(
    open_item: Open, options: tuple[str, ...]
) -> None:
    page = open_item("attribution", run=make_long_run(PASSAGE), options=list(options))
    for width, height, is_next_to in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        ready(page)
        walk_along(page, f"at {width} × {height}", is_next_to=is_next_to)
    # On a phone in the reach of a thumb: right above the footer, with buttons of a finger's size.
    sentence(page, 2).focus()
    boxes = measure(page)
    assert boxes["toolbar"]["bottom"] == pytest.approx(boxes["footer"]["top"], abs=1)
    assert all(button["bottom"] - button["top"] >= 44 for button in boxes["answers"])


def walk_along(page: Page, size: str, *, is_next_to: bool) -> None:
    sentence(page, 1).focus()
    text_top = measure(page)["textTop"]
    ways = [("", 1)]
    ways += [("j", number) for number in range(2, SENTENCES + 1)]
    ways += [("k", number) for number in range(SENTENCES - 1, 0, -1)]
    for key, number in ways:
        if key:
            page.keyboard.press(key)
        expect(sentence(page, number)).to_have_class("s here")
        boxes = measure(page)
        toolbar, lines = boxes["toolbar"], boxes["lines"]
        where = f"sentence {number} {size}"
        assert not any(cover(toolbar, line) for line in lines), where
        assert lines[0]["top"] >= 0, where
        assert lines[-1]["bottom"] <= boxes["footer"]["top"], where
        for button in boxes["buttons"]:
            assert button["bottom"] <= boxes["footer"]["top"] + 1, where
            assert button["top"] >= 0, where
            assert button["bottom"] - button["top"] >= 24, where
            assert 0 <= button["left"] < button["right"] <= boxes["card"]["right"], where
        if is_next_to:
            assert toolbar["left"] >= max(line["right"] for line in lines), where
            assert toolbar["top"] < lines[-1]["bottom"], where
            assert toolbar["bottom"] > lines[0]["top"], where
        else:
            assert toolbar["top"] >= boxes["height"] / 2 or toolbar["top"] >= lines[-1]["bottom"]
        assert boxes["textTop"] == pytest.approx(text_top, abs=1), "the text moved"


def test_a_wide_toolbar_starts_with_its_sentence_under_clicks_and_in_a_narrower_window(
    open_item: Open,
) -> None:
    page = open_item("attribution", run=make_long_run(PASSAGE))
    page.set_viewport_size({"width": 1280, "height": 1400})  # all of it is in sight
    tops = []
    for number in (1, 3, 5):
        sentence(page, number).focus()
        boxes = measure(page)
        assert boxes["toolbar"]["top"] == pytest.approx(boxes["lines"][0]["top"], abs=12)
        tops.append(boxes["toolbar"]["top"])
    assert tops == sorted(set(tops))
    sentence(page, 8).focus()
    last = measure(page)
    assert last["toolbar"]["bottom"] <= last["card"]["bottom"]
    # Fast clicks on another sentence hit the same one.
    page.set_viewport_size({"width": 1280, "height": 800})
    sentence(page, 1).focus()
    line = (
        "each => { const { left, top } = each.getClientRects()[0]; return [left + 30, top + 12]; }"
    )
    x, y = sentence(page, 3).evaluate(line)
    page.mouse.click(x, y)
    page.wait_for_timeout(60)  # a bounce is no click
    page.mouse.click(x, y)
    expect(sentence(page, 3)).to_have_attribute("data-value", "0")
    values = [sentence(page, number).get_attribute("data-value") for number in (1, 2, 4)]
    assert values == ["", "", ""]
    saved(page)
    # A narrower window keeps the current sentence in sight.
    sentence(page, 8).focus()
    page.set_viewport_size({"width": 390, "height": 800})
    boxes = measure(page)
    assert boxes["lines"][0]["top"] >= 0
    assert boxes["lines"][-1]["bottom"] <= boxes["toolbar"]["top"]


def test_on_a_phone_the_sentence_and_its_answers_stay_while_the_evidence_scrolls(
    open_item: Open,
) -> None:
    page = open_item("attribution")
    page.set_viewport_size({"width": 390, "height": 700})
    page.locator("#evidence-2").scroll_into_view_if_needed()
    expect(page.locator("#current-words")).to_be_in_viewport(ratio=1)
    page.get_by_role("radio", name="Fully").and_(page.locator(".bar *")).click()
    page.get_by_role("button", name="Next sentence").click()
    expect(page.locator("#current-sentence")).to_have_text("Sentence 2 of 3")
    expect(page.locator("#evidence-2")).to_be_in_viewport()
    expect(sentence(page, 1)).to_have_attribute("data-value", "1")
    comment = page.locator("#comment").bounding_box()
    evidence = page.locator("#evidence-2").bounding_box()
    assert comment is not None
    assert evidence is not None
    assert comment["y"] > evidence["y"] + evidence["height"]
    saved(page)
