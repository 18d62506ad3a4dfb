"""Each questionnaire is finished by mouse alone and by keyboard alone.

`pytest -rP tests/browser/test_both_ways.py | grep EFFORT` prints the table of clicks and keys.
"""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Judgment
from tests.browser.judging import Open, open_item, sentence
from tests.support.campaigns import TEXT

__all__ = ["open_item"]  # a fixture

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

Answers = dict[tuple[str, int], int]
"""Criterion and target to value, in the order of the page."""

ATTRIBUTION = {("attributable", 0): 1, ("attributable", 1): 0, ("attributable", 2): 0}
PARTS = (("informative", 0), ("attributable", 0), ("informative", 1), ("attributable", 1))
QUALITY = dict(zip((*PARTS, ("informative", 2)), (1, 1, 0, 1, 0), strict=True))
CITED = {("citation_recall", 2): 0, ("citation_precision", 1): 1, ("citation_precision", 2): 0}
CITING = {("utility", 0): 4, ("citation_precision", 0): 2, **CITED}
KINDS = {"attribution": ATTRIBUTION, "answer_quality": QUALITY, "citation": CITING}
KINDS["intent"] = {("intent", 0): 1}
FOLLOWING = {"citation": {("citation_recall", 0): 1}}
"""Answers that follow: sentence 1 cites one source, which supports all of it."""
COUNT = """() => {
    const acts = { clicks: 0, keys: 0 };
    window.acts = acts;
    addEventListener("pointerdown", () => { acts.clicks += 1; }, true);
    addEventListener("keydown", (event) => {
        const isModifier = ["Control", "Shift", "Alt", "Meta"].includes(event.key);
        if (!event.repeat && !isModifier) acts.keys += 1;
    }, true);
}"""


def submit(page: Page, name: str, *, fewest: int, by_key: bool) -> tuple[int, int]:
    """Submit the item; return the clicks and the keys of the whole item.

    `fewest` acts are an act for each required answer and one to submit.
    """
    # The page's counts go with the page.
    acts = page.evaluate("() => window.acts")
    clicks, keys = acts["clicks"] + (not by_key), acts["keys"] + by_key
    with page.expect_navigation():
        if by_key:
            page.keyboard.press("Control+Enter")
        else:
            page.get_by_role("button", name="Submit and next").click()
    print(f"EFFORT {name}: {clicks} clicks, {keys} keys; fewest {fewest}")  # noqa: T201
    done = page.get_by_role("heading", name="You are done")
    expect(page.locator("#judging[data-ready]").or_(done)).to_be_visible()
    assert Assignment.objects.submitted().count() == 1
    return clicks, keys


def answers_saved() -> Answers:
    rows = Judgment.objects.exclude(value=None).values_list("criterion", "target", "value")
    return {(criterion, target): value for criterion, target, value in rows}


def choose(page: Page, criterion: str, target: int, value: int) -> None:
    group = page.locator(f"fieldset#{criterion}-{target}")
    group.locator(f"label:has(input[value='{value}'])").click()


def click_sentence(page: Page, _: str, target: int, value: int) -> None:
    for _click in range(2 - value):
        sentence(page, target + 1).click()
        page.wait_for_timeout(60)  # a bounce is no click


@pytest.mark.parametrize("kind", KINDS)
def test_by_mouse(open_item: Open, kind: str) -> None:
    answers = KINDS[kind]
    page = open_item(kind)
    page.evaluate(COUNT)
    answer = click_sentence if kind == "attribution" else choose
    for (criterion, target), value in answers.items():
        answer(page, criterion, target, value)
    acts = submit(page, f"{kind}, mouse", fewest=len(answers) + 1, by_key=False)
    assert answers_saved() == answers | FOLLOWING.get(kind, {})
    assert acts == (2 if kind == "intent" else 6, 0)


@pytest.mark.parametrize(
    ("kind", "moves_on"),
    [(kind, True) for kind in KINDS] + [(kind, False) for kind in KINDS if kind != "intent"],
)
def test_by_keys(open_item: Open, kind: str, moves_on: bool) -> None:
    answers = KINDS[kind]
    page = open_item(kind)
    if not moves_on:
        page.keyboard.press("?")
        page.get_by_label("Move on").uncheck()
        page.keyboard.press("Escape")
    page.evaluate(COUNT)
    for position, ((criterion, _), value) in enumerate(answers.items()):
        if position and not moves_on:
            page.keyboard.press("j")
        page.keyboard.press(key_of(criterion, value))
    name = f"{kind}, keys{'' if moves_on else ' without moving on'}"
    acts = submit(page, name, fewest=len(answers) + 1, by_key=True)
    assert answers_saved() == answers | FOLLOWING.get(kind, {})
    assert acts == (0, len(answers) + 1 if moves_on else 2 * len(answers))


def key_of(criterion: str, value: int) -> str:
    if criterion == "utility":
        return str(value)
    if criterion == "intent":
        return str(value + 1)
    return str((3 if criterion == "citation_precision" else 2) - value)


def test_a_passage_that_needs_no_change_by_mouse(open_item: Open) -> None:
    page = open_item("manual_revision", sides="before")
    page.evaluate(COUNT)
    page.get_by_role("button", name="No change needed").click()
    acts = submit(page, "manual_revision, mouse, no change", fewest=2, by_key=False)
    assert Judgment.objects.get().text == TEXT
    assert acts == (2, 0)


def test_a_year_corrected_by_keys(open_item: Open) -> None:
    page = open_item("manual_revision", sides="before")
    page.evaluate(COUNT)
    page.keyboard.press("e")
    page.keyboard.press("Control+Home")
    for key in ["Control+ArrowRight"] * 4 + ["ArrowRight"] * 4:
        page.keyboard.press(key)  # The bridge opened in 193|4.
    for key in ("Delete", "2", "Escape"):
        page.keyboard.press(key)
    clicks, _ = submit(page, "manual_revision, keys, one digit", fewest=5, by_key=True)
    assert Judgment.objects.get().text == TEXT.replace("1934", "1932")
    assert clicks == 0
