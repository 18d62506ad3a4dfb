"""What is judged, its answers and what is read are in the window together at each decision.

`FULL=1 pytest -rP tests/browser/test_together.py | grep MEASURED` judges items of all sizes, by
keys and by mouse, and prints a line for each window. Otherwise the largest item is judged, in one
window by keys and in the next by mouse.
"""

import os
from collections import Counter
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.judging.claims import claim_next
from annotation.models import Assignment, Judgment
from pipeline.models import Run
from tests.browser.judging import Open, open_item, ready
from tests.support.factories import make_passage, make_revision, make_run

__all__ = ["open_item"]  # a fixture

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

FULL = bool(os.environ.get("FULL"))
WINDOWS = [
    (1280, 800),
    (1440, 900),
    (640, 400),  # 200 % of 1280 × 800
    (720, 450),
    (768, 1024),
    (844, 390),
    (390, 844),
]
ITEMS = [(sentences, snippets) for sentences in (1, 4, 8, 20) for snippets in (1, 3, 5)]
PER_SNIPPET = 4
MAX_SCROLLED = 1.5
"""Times what does not fit into the panes."""
CONTEXT = (
    "When was the harbour bridge at the bay finished, and who designed it? It was asked in a quiz, "
    "and the player said that it was the same year in which the old ferry stopped, after eleven "
    "years of work on the arch and on the two towers that carry nothing but the clock of the port."
)
SENTENCE = "Number {0} of the bridges at the bay opened in 19{0:02}, long before it was painted"
SOURCE = (
    "Report {0}: bridge {0} was opened in 19{0:02} by the governor of the bay, after eleven years "
    "of work on its steel arch."
)
SIDES = {"intent": "pair", "manual_revision": "before"}
CITING = {"answer_quality", "citation"}

LIBRARY = """() => {
    const find = (name) => document.querySelector(name);
    const isSeen = ({ left, right, top, bottom }, owner) =>
        [left + 4, (left + right) / 2, right - 4].every((x) => [top + 4, bottom - 4].every((y) => {
            const hit = document.elementFromPoint(x, y);
            const holds = hit?.contains(owner) && hit.closest("article, .scroll, table");
            return hit !== null && (owner.contains(hit) || holds);
        }));
    const isWide = ({ width }) => width > 3;
    const seen = (what, owner = what) =>
        [...what.getClientRects()].filter(isWide).every((each) => isSeen(each, owner));
    const allSeen = (names) => [...document.querySelectorAll(names)].every((each) => seen(each));
    const sentenceOf = ([number, part]) => { // of a piece of evidence
        const text = find(`#evidence-${number} .text`);
        const start = text.firstChild.data.indexOf(`Report ${part}:`);
        const range = document.createRange();
        range.setStart(text.firstChild, start);
        range.setEnd(text.firstChild, text.firstChild.data.indexOf(".", start) + 1);
        return [range, text];
    };
    const panes = [...document.querySelectorAll(".scroll, .evidence-pane")];
    const passed = new Map(panes.map((pane) => [pane, [pane.scrollTop, 0]]));
    const count = () => {
        for (const [pane, [top, sum]] of passed) {
            passed.set(pane, [pane.scrollTop, sum + Math.abs(pane.scrollTop - top)]);
        }
    };
    for (const pane of panes) pane.addEventListener("scroll", count);
    window.measuring = {
        // As little as shows all of it, or its beginning.
        bring(what, pane) {
            const [box, edge] = [what.getBoundingClientRect(), pane.getBoundingClientRect()];
            const [above, below] = [box.top - edge.top - 4, box.bottom - edge.bottom + 4];
            if (above < 0) pane.scrollTop += above;
            else if (below > 0) pane.scrollTop += Math.min(below, above);
        },
        bringNamed: (name) => {
            const what = find(name);
            measuring.bring(what, what.closest(".scroll, .evidence-pane") ?? panes[0]);
        },
        readsSource: (source) => seen(...sentenceOf(source)),
        bringSource: (source) => measuring.bring(sentenceOf(source)[0], find(".evidence-pane")),
        row: (number) => allSeen(`.pair tbody tr:nth-child(${number}) td`),
        attribution: () => [seen(find(".s.here")), allSeen(".radios button")],
        manual_revision: () => [seen(find("#revised")), true],
        question() {
            const statement = find(".part:has(.question.here) .statement p");
            const answers = allSeen(".question.here label") && seen(find(".question.here legend"));
            return [!statement || seen(statement), answers];
        },
        async scrolled() {
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
            count();
            const sum = (values) => values.reduce((a, b) => a + b, 0);
            const overflow = panes.map((pane) => pane.scrollHeight - pane.clientHeight);
            return [sum([...passed.values()].map(([, each]) => each)), sum(overflow)];
        },
        // Where the first text begins in a new window, and how many tab stops precede it.
        beginning() {
            panes[0].scrollTop = 0;
            const text = find("#sentence-1, .pair td, #revised, .part .text");
            const stops = [...document.querySelectorAll("a, button, textarea, summary, [tabindex]")]
                .filter((each) => each.checkVisibility() && each.tabIndex >= 0 && !each.disabled)
                .filter((each) => each.compareDocumentPosition(text) & 4);
            return [text.getClientRects()[0].top, stops.length];
        },
    };
}"""


def source_of(index: int, sentences: int, snippets: int) -> list[int]:
    """The piece of evidence that a sentence rests on, and the number of its sentence."""
    part = index * snippets * PER_SNIPPET // sentences
    return [part // PER_SNIPPET + 1, part]


def make_items(kind: str) -> Run:
    run = make_run(state=Run.State.FINISHED)
    for sentences, snippets in ITEMS if FULL else ITEMS[-1:]:
        parts = [SOURCE.format(part) for part in range(snippets * PER_SNIPPET)]
        texts = [" ".join(parts[at : at + PER_SNIPPET]) for at in range(0, len(parts), PER_SNIPPET)]
        marks = [
            f" [{source_of(index, sentences, snippets)[0]}]." if kind in CITING else "."
            for index in range(sentences)
        ]
        text = " ".join(SENTENCE.format(at) + mark for at, mark in enumerate(marks))
        quotes = [{"idx": at, "docid": f"d#{at}", "text": each} for at, each in enumerate(texts, 1)]
        evidence = [
            {"title": f"Bridge {at}", "url": f"https://{at}.example/", "text": each}
            for at, each in enumerate(texts, 1)
        ]
        source = {"quotes": quotes} if kind in CITING else None
        passage = make_passage(run.dataset, text=text, context=CONTEXT, source=source)
        revised = {"text": text.replace("painted", "repainted"), "is_changed": True}
        result = {"report": {"evidence": evidence}}
        make_revision(run, passage=passage, state="done", result=result, **revised)
    return run


class Rater:
    """Judges an item, by keys or by mouse, and notes what is out of sight at a decision."""

    def __init__(self, page: Page, assignment: Assignment, *, by_key: bool) -> None:
        self.page, self.by_key = page, by_key
        self.sentences = len(assignment.item.sentences)
        self.snippets = len(assignment.item.evidence)
        self.seen: Counter[str] = Counter()

    def run(self, call: str, *values: Any) -> Any:
        return self.page.evaluate(f"value => measuring.{call}(value)", *values)

    def decide(self, kind: str, source: list[int] | None) -> None:
        judged, answers = self.run(kind)
        read = source is None or self.run("readsSource", source)
        self.seen["decisions"] += 1
        self.seen["together"] += judged and answers and read

    def scroll_until(self, seen: str, bring: tuple[str, Any], value: Any) -> None:
        for _ in range(40 if self.by_key else 0):
            if self.run(seen, value):
                return
            self.page.keyboard.press("PageDown")
        if not self.by_key:
            self.run(*bring)

    def read(self, source: list[int]) -> None:
        self.scroll_until("readsSource", ("bringSource", source), source)

    def attribution(self) -> None:
        rated = 0
        for index in range(self.sentences):
            source = source_of(index, self.sentences, self.snippets)
            while rated < source[0] - 1:
                self.rate(rated := rated + 1)
            self.read(source)
            name = f"#sentence-{index + 1}"
            if not self.by_key:
                self.run("bringNamed", name)
                self.page.locator(name).evaluate("each => each.focus({ preventScroll: true })")
            self.decide("attribution", source)
            if self.by_key:
                self.page.keyboard.press("2" if index % 3 else "1")
            else:
                line = (
                    "each => { const { left, top } = each.getClientRects()[0]; return [left, top] }"
                )
                left, top = self.page.locator(name).evaluate(line)
                self.page.mouse.click(left + 40, top + 12)
        while rated < self.snippets:
            self.rate(rated := rated + 1)

    def rate(self, number: int) -> None:
        if self.by_key:
            self.page.keyboard.press("u")
        else:
            self.run("bringNamed", name := f"#evidence-{number} [data-set='1']")
            self.page.locator(name).click()

    def questions(self) -> None:
        for question in self.page.locator("fieldset.question").all():
            key = question.get_attribute("id") or ""
            criterion, _, target = key.partition("-")
            source = None
            if criterion != "utility":
                source = source_of(int(target), self.sentences, self.snippets)
                self.read(source)
            if not self.by_key:
                self.run("bringNamed", f".part:has(#{key})")
                focus = "each => each.focus({ preventScroll: true })"
                question.locator("input").first.evaluate(focus)
            self.decide("question", source)
            if self.by_key:
                self.page.keyboard.press("1")
            else:
                question.locator("label").first.click()

    answer_quality = citation = questions

    def intent(self) -> None:
        for number in range(1, self.page.locator(".pair tbody tr").count() + 1):
            row = f".pair tbody tr:nth-child({number})"
            self.scroll_until("row", ("bringNamed", row), number)
            assert self.run("row", number)
            self.decide("question", None)
        if self.by_key:
            self.page.keyboard.press("1")
        else:
            self.page.locator("label.level").first.click()

    def manual_revision(self) -> None:
        for part in range(self.snippets * PER_SNIPPET):
            source = [part // PER_SNIPPET + 1, part]
            self.read(source)
            self.decide("manual_revision", source)
        if self.by_key:
            self.page.keyboard.press("e")
        else:
            self.page.locator("#revised").click()
        self.page.keyboard.type("Well. ")
        self.page.keyboard.press("Escape")


def claim_all() -> list[Assignment]:
    """All items of the campaign, claimed by the rater."""
    rater = Assignment.objects.get().rater
    while True:
        Assignment.objects.update(submitted_at=timezone.now())
        if not isinstance(claim_next(rater), Assignment):
            break
    Assignment.objects.update(submitted_at=None)
    return list(Assignment.objects.select_related("item").order_by("pk"))


@pytest.mark.parametrize(
    "kind", ["attribution", "intent", "answer_quality", "citation", "manual_revision"]
)
def test_what_is_judged_its_answers_and_what_is_read_are_in_sight(
    open_item: Open, kind: str
) -> None:
    page = open_item(kind, run=make_items(kind), sides=SIDES.get(kind, "after"))
    assignments = claim_all()
    faults = []
    for turn, (width, height) in enumerate(WINDOWS):
        page.set_viewport_size({"width": width, "height": height})
        for by_key in (True, False) if FULL else (turn % 2 == 0,):
            Judgment.objects.all().delete()
            seen: Counter[str] = Counter()
            for assignment in assignments:
                page.goto(assignment.get_absolute_url())
                ready(page)
                page.evaluate(LIBRARY)
                rater = Rater(page, assignment, by_key=by_key)
                getattr(rater, kind)()
                scrolled, overflow = rater.run("scrolled")
                seen += rater.seen + Counter(scrolled=round(scrolled), overflow=round(overflow))
                expect(page.locator("#saved[data-state=saved]")).to_be_visible()
                if (width, height) == WINDOWS[0]:
                    top, stops = rater.run("beginning")
                    faults += (
                        [] if top < 240 and stops <= 5 else [f"begins at {top}, {stops} stops"]
                    )
            ratio = seen["scrolled"] / (seen["overflow"] or 1)
            line = (
                f"{kind}, {'keys' if by_key else 'mouse'}, {width} × {height}: together "
                f"{seen['together']}/{seen['decisions']}, scrolled {ratio:.2f} × what does not fit"
            )
            print(f"MEASURED {line}")  # noqa: T201
            if seen["together"] < seen["decisions"] or ratio > MAX_SCROLLED:
                faults.append(line)
    assert faults == []
