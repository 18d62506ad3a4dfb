"""Each questionnaire is finished by mouse alone and by keyboard alone.

`pytest -rP tests/browser/test_both_ways.py | grep EFFORT` prints the table of clicks and keys.
"""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Judgment
from tests.browser.effort import Effort
from tests.browser.judging import Open, open_item, sentence
from tests.support.campaigns import TEXT

__all__ = ["open_item"]  # a fixture

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

QUALITY = {
    ("informative", 0): 1, ("attributable", 0): 1, ("informative", 1): 0,
    ("attributable", 1): 1, ("informative", 2): 0,
}  # fmt: skip
CITING = {
    ("utility", 0): 4, ("citation_precision", 0): 2,
    ("citation_recall", 2): 0, ("citation_precision", 1): 1, ("citation_precision", 2): 0,
}  # fmt: skip
"""In the order of the page."""
FOLLOWING = {("citation_recall", 0): 1}
"""Sentence 1 cites one source, which supports all of it."""


def answers_saved() -> dict[tuple[str, int], int]:
    rows = Judgment.objects.exclude(value=None).values_list("criterion", "target", "value")
    return {(criterion, target): value for criterion, target, value in rows}


def handed_in(page: Page) -> None:
    done = page.get_by_role("heading", name="You are done")
    expect(page.locator("#judging[data-ready]").or_(done)).to_be_visible()
    assert Assignment.objects.submitted().count() == 1


def go_on_after_keys(page: Page) -> None:
    page.keyboard.press("?")
    page.get_by_label("Move on after an answer").check()
    page.keyboard.press("Escape")


def choose(page: Page, key: tuple[str, int], value: int) -> None:
    group = page.locator(f"fieldset#{key[0]}-{key[1]}")
    group.locator(f"label:has(input[value='{value}'])").click()


# ---- Attribution: one sentence supported, two not ---------------------------------------------
ATTRIBUTION = {("attributable", 0): 1, ("attributable", 1): 0, ("attributable", 2): 0}


def test_attribution_by_mouse(open_item: Open) -> None:
    page = open_item("attribution")
    effort = Effort(page, "attribution, mouse", fewest=4)
    for number, clicks in ((1, 1), (2, 2), (3, 2)):
        for _ in range(clicks):
            sentence(page, number).click()
            page.wait_for_timeout(60)  # a bounce is no click
    effort.hand_in(by_key=False)
    handed_in(page)
    assert answers_saved() == ATTRIBUTION
    assert (effort.clicks, effort.keys) == (6, 0)


def test_attribution_by_keys(open_item: Open) -> None:
    page = open_item("attribution")
    effort = Effort(page, "attribution, keys", fewest=4)
    for key in ("1", "j", "2", "j", "2"):
        page.keyboard.press(key)
    effort.hand_in(by_key=True)
    handed_in(page)
    assert answers_saved() == ATTRIBUTION
    assert (effort.clicks, effort.keys) == (0, 6)


def test_attribution_by_keys_that_go_on(open_item: Open) -> None:
    page = open_item("attribution")
    go_on_after_keys(page)
    effort = Effort(page, "attribution, keys that go on", fewest=4)
    for key in ("1", "2", "2"):
        page.keyboard.press(key)
    effort.hand_in(by_key=True)
    handed_in(page)
    assert answers_saved() == ATTRIBUTION
    assert (effort.clicks, effort.keys) == (0, 4)


# ---- Intent ------------------------------------------------------------------------------------
def test_intent_by_mouse(open_item: Open) -> None:
    page = open_item("intent")
    effort = Effort(page, "intent, mouse", fewest=2)
    choose(page, ("intent", 0), 1)
    effort.hand_in(by_key=False)
    handed_in(page)
    assert answers_saved() == {("intent", 0): 1}
    assert (effort.clicks, effort.keys) == (2, 0)


def test_intent_by_keys(open_item: Open) -> None:
    page = open_item("intent")
    effort = Effort(page, "intent, keys", fewest=2)
    page.keyboard.press("2")
    effort.hand_in(by_key=True)
    handed_in(page)
    assert answers_saved() == {("intent", 0): 1}
    assert (effort.clicks, effort.keys) == (0, 2)


# ---- Questions in a row: answer quality and citations ------------------------------------------
@pytest.mark.parametrize(("kind", "answers"), [("answer_quality", QUALITY), ("citation", CITING)])
def test_questions_by_mouse(
    open_item: Open, kind: str, answers: dict[tuple[str, int], int]
) -> None:
    page = open_item(kind)
    effort = Effort(page, f"{kind}, mouse", fewest=len(answers) + 1)
    for key, value in answers.items():
        choose(page, key, value)
    effort.hand_in(by_key=False)
    handed_in(page)
    assert answers_saved() == answers | (FOLLOWING if kind == "citation" else {})
    assert (effort.clicks, effort.keys) == (6, 0)


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize(("kind", "answers"), [("answer_quality", QUALITY), ("citation", CITING)])
def test_questions_by_keys(
    open_item: Open, kind: str, answers: dict[tuple[str, int], int], goes_on: bool
) -> None:
    page = open_item(kind)
    if goes_on:
        go_on_after_keys(page)
    name = f"{kind}, keys{' that go on' if goes_on else ''}"
    effort = Effort(page, name, fewest=len(answers) + 1)
    for position, ((criterion, _), value) in enumerate(answers.items()):
        if position and not goes_on:
            page.keyboard.press("j")
        page.keyboard.press(key_of(criterion, value))
    effort.hand_in(by_key=True)
    handed_in(page)
    assert answers_saved() == answers | (FOLLOWING if kind == "citation" else {})
    assert (effort.clicks, effort.keys) == (0, 6 if goes_on else 10)


def key_of(criterion: str, value: int) -> str:
    if criterion == "utility":
        return str(6 - value)
    if criterion == "citation_precision":
        return str(3 - value)
    return "1" if value else "2"


# ---- Manual revision ---------------------------------------------------------------------------
def test_a_passage_that_needs_no_change_by_mouse(open_item: Open) -> None:
    page = open_item("manual_revision", sides="before")
    effort = Effort(page, "manual_revision, mouse, no change", fewest=2)
    page.get_by_role("button", name="No change needed").click()
    effort.hand_in(by_key=False)
    handed_in(page)
    assert Judgment.objects.get().text == TEXT
    assert (effort.clicks, effort.keys) == (2, 0)


def test_a_year_corrected_by_keys(open_item: Open) -> None:
    page = open_item("manual_revision", sides="before")
    effort = Effort(page, "manual_revision, keys, one digit", fewest=5)
    page.keyboard.press("e")
    page.keyboard.press("Control+Home")
    for key in ["Control+ArrowRight"] * 4 + ["ArrowRight"] * 4:
        page.keyboard.press(key)  # The bridge opened in 193|4.
    for key in ("Delete", "2", "Escape"):
        page.keyboard.press(key)
    effort.hand_in(by_key=True)
    handed_in(page)
    assert Judgment.objects.get().text == TEXT.replace("1934", "1932")
    assert effort.clicks == 0
