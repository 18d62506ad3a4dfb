"""The judging page without colours, with forced colours, enlarged, by keyboard, RTL."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from pipeline.models import Run
from tests.browser.chromium import expect_fits, new_context
from tests.browser.judging import ready, saved, sentence
from tests.browser.logged_in import log_in_as
from tests.support.campaigns import make_campaign
from tests.support.factories import make_passage, make_revision, make_run, make_user
from tests.support.reference_answers import claim

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

ARABIC = "افتُتح الجسر عام 1932. يحمل الجسر خطين للسكك الحديدية. لم يطله أحد بعد ذلك."
HEBREW = "הגשר נפתח בשנת 1932 ועליו שתי מסילות (Harbour Line)."
LOOKS = """(unit) => {
    const mark = getComputedStyle(unit.querySelector(".mark"), "::before").content;
    const line = getComputedStyle(unit).textDecorationStyle;
    const name = unit.querySelector("[data-state-words]").textContent;
    return [mark, line, name];
}"""
# What has the focus, and what is hidden of it. All of it is to be seen, or of a large one 150
# pixels: nobody writes where the first lines cannot be seen.
HIDDEN = """() => {
    const focused = document.activeElement;
    if (focused === document.body) return null;
    const name = focused.outerHTML;
    const box = focused.getBoundingClientRect();
    const onTop = focused.closest(".task-bar") ? [] : [".task-bar", ".answers", "#lease"];
    const over = onTop.flatMap((name) => [...document.querySelectorAll(name)]).filter(
        (each) => !each.hidden && !each.contains(focused));
    const lies = over.map((each) => each.getBoundingClientRect()).filter((each) =>
        each.left < box.right && each.right > box.left
        && each.top < box.bottom && each.bottom > box.top);
    const edge = Math.min(innerHeight, ...lies.map((each) => each.top));
    const seen = Math.min(box.bottom, edge) - Math.max(box.top, 0);
    const least = Math.min(box.height, 150) - 1;
    return [name, seen >= least ? "" : `${name.slice(0, 90)}: ${seen} of ${box.height} px`];
}"""

OpenAs = Callable[..., Page]


@pytest.fixture
def open_as(browser: Browser, live_server: LiveServer) -> Iterator[OpenAs]:
    opened = []

    def _open(campaign: dict[str, Any], **options: Any) -> Page:
        rater = make_user("anna")
        context = new_context(browser, base_url=live_server.url, **options)
        opened.append(context)
        log_in_as(context, rater, live_server.url)
        page = context.new_page()
        made = make_campaign(raters=(rater,), **campaign)
        page.goto(claim(rater, made).get_absolute_url())
        ready(page)
        return page

    yield _open
    for context in opened:
        for page in context.pages:
            expect(page.locator("#saved[data-state=saving]")).to_have_count(0)
        context.close()


@pytest.mark.parametrize("colours", ["active", "none"])
def test_states_differ_in_icon_line_and_name(open_as: OpenAs, colours: str) -> None:
    page = open_as({"options": ["partly", "two_stages"]}, forced_colors=colours)
    first = sentence(page, 1)
    seen = [first.evaluate(LOOKS)]
    for key in "1234":
        first.focus()
        page.keyboard.press(key)
        seen.append(first.evaluate(LOOKS))
    saved(page)
    for position, of in enumerate(("icon", "line", "name")):
        assert len({view[position] for view in seen}) == 5, (of, seen)


def test_forced_colours_frame_what_is_chosen(open_as: OpenAs) -> None:
    page = open_as({}, forced_colors="active")
    sentence(page, 1).click()
    saved(page)
    border = "each => getComputedStyle(each).borderTopWidth"
    chosen = page.locator(".answers [role=radio][aria-checked=true]").evaluate(border)
    others = page.locator(".answers [role=radio][aria-checked=false]").evaluate_all(
        f"all => all.map({border})"
    )
    assert others
    assert chosen not in others


def test_nothing_moves_where_motion_is_not_wanted(open_as: OpenAs) -> None:
    page = open_as({}, reduced_motion="reduce")
    moving = """() => [...document.querySelectorAll("*")].filter((each) => {
        const style = getComputedStyle(each);
        const animated = style.animationName !== "none" || style.scrollBehavior === "smooth";
        return animated || !/^(0s(, )?)+$/.test(style.transitionDuration);
    }).map((each) => each.outerHTML.slice(0, 80))"""
    assert page.evaluate(moving) == []
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moving) != []  # colours then change by and by


@pytest.mark.parametrize("kind", ["attribution", "intent", "manual_revision"])
def test_what_has_the_focus_is_never_hidden(open_as: OpenAs, kind: str) -> None:
    sides = "before" if kind == "manual_revision" else "after"
    page = open_as({"questionnaire": kind, "sides": sides})
    for width, height in ((1280, 800), (640, 512), (390, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(page.url)
        ready(page)
        hidden, reached = [], set()
        for key in ("Tab", "Shift+Tab"):
            for _ in range(60):
                page.keyboard.press(key)
                focused = page.evaluate(HIDDEN)
                if focused is None:
                    break
                name, fault = focused
                hidden += [fault] if fault else []
                reached.add(name)
        assert hidden == [], width
        assert len(reached) > 7, width


def test_a_passage_from_right_to_left(open_as: OpenAs) -> None:
    run = make_run(state=Run.State.FINISHED)
    evidence = [{"title": HEBREW, "url": "https://bridge.example/", "text": ARABIC}]
    revised = {"state": "done", "is_changed": True, "result": {"report": {"evidence": evidence}}}
    for text in (ARABIC, HEBREW):
        passage = make_passage(run.dataset, text=text, context="متى افتُتح الجسر؟")
        make_revision(run, passage=passage, text=text, **revised)
    page = open_as({"run": run})
    direction = "each => getComputedStyle(each).direction"
    for selector in (".passage .text", ".evidence .text", ".evidence h3 [dir]", ".context"):
        assert page.locator(selector).first.evaluate(direction) == "rtl", selector
    assert page.locator(".answers").evaluate(direction) == "ltr"
    page.keyboard.press("1")
    saved(page)
    expect_fits(page)
