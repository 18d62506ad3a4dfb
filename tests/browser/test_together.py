"""What is judged, its answers and what is read are in the window together at each decision.

`pytest -rP tests/browser/test_together.py | grep MEASURED` prints a line for each window. Without
FULL=1 in the environment only the smallest and largest items are judged.
"""

import os
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

SIZES = [
    (1280, 800),
    (1440, 900),
    (640, 400),  # 200 % of 1280 × 800
    (720, 450),
    (768, 1024),
    (844, 390),
    (390, 844),
]
ALL_SHAPES = [(sentences, snippets) for sentences in (1, 4, 8, 20) for snippets in (1, 3, 5)]
SHAPES = ALL_SHAPES if os.environ.get("FULL") else [(1, 1), (20, 5)]
PER_SNIPPET = 4
CONTEXT = (
    "When was the harbour bridge at the bay finished, and who designed it? It was asked in a quiz, "
    "and the player said that it was the same year in which the old ferry stopped, after eleven "
    "years of work on the arch and on the two towers that carry nothing but the clock of the port."
)
SENTENCE = (
    "Number {} of the bridges at the bay opened in 19{:02}, long before its towers were painted."
)
SOURCE = (
    "Report {}: bridge {} was opened in 19{:02} by the governor of the bay, after eleven years of "
    "work on its steel arch."
)
OPTIONS = {"attribution": {}, "intent": {"sides": "pair"}, "manual_revision": {"sides": "before"}}
KINDS = ["attribution", "intent", "answer_quality", "citation", "manual_revision"]

LIBRARY = """() => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    const isSeen = ({ left, right, top, bottom }, owner) => [left + 4, (left + right) / 2, right - 4].every((x) =>
        [top + 4, bottom - 4].every((y) => {
            const hit = document.elementFromPoint(x, y);
            return hit !== null && (owner.contains(hit) || hit.contains(owner) && hit.closest("article, .scroll, table"));
        }));
    const rects = (what) => [...what.getClientRects()].filter(({ width }) => width > 3);
    const seen = (what, owner = what) => rects(what).every((each) => isSeen(each, owner));
    const sentenceOf = (number, part) => {  // a sentence of a piece of evidence, as a range
        const text = document.querySelector(`#evidence-${number} .text`);
        const node = text.firstChild;
        const start = node.data.indexOf(`Report ${part}:`);
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, node.data.indexOf(".", start) + 1);
        return [range, text];
    };
    const panes = [...document.querySelectorAll(".scroll, .evidence-pane")];
    const passed = new Map(panes.map((pane) => [pane, [pane.scrollTop, 0]]));
    const count = () => {
        for (const [pane, [top, sum]] of passed) passed.set(pane, [pane.scrollTop, sum + Math.abs(pane.scrollTop - top)]);
    };
    for (const pane of panes) pane.addEventListener("scroll", count);
    // As little as shows all of it, or its beginning.
    const bring = (what, pane) => {
        const box = what.getBoundingClientRect();
        const { top, bottom } = pane.getBoundingClientRect();
        const above = box.top - top - 4, below = box.bottom - bottom + 4;
        if (above < 0) pane.scrollTop += above;
        else if (below > 0) pane.scrollTop += Math.min(below, above);
    };
    window.measuring = {
        frame, seen, bring,
        source: (number, part) => seen(...sentenceOf(number, part)),
        read: (number, part) => bring(sentenceOf(number, part)[0], document.querySelector(".evidence-pane")),
        async scrolled() {
            await frame();
            count();
            return panes.map((pane) => [passed.get(pane)[1], pane.scrollHeight - pane.clientHeight]);
        },
    };
}"""

JUDGED = {
    "attribution": """() => ({
        judged: measuring.seen(document.querySelector(".s.here")),
        answers: [...document.querySelectorAll(".radios button")].every((each) => measuring.seen(each)),
    })""",
    "manual_revision": """() => ({
        judged: measuring.seen(document.querySelector("#revised")), answers: true,
    })""",
}
QUESTION = """() => {
    const here = document.querySelector(".question.here");
    const statement = here.closest(".part")?.querySelector(".statement p");
    return {
        judged: !statement || measuring.seen(statement),
        answers: measuring.seen(here.querySelector("legend")) &&
            [...here.querySelectorAll("label")].every((each) => measuring.seen(each)),
    };
}"""


def source_of(index: int, sentences: int, snippets: int) -> tuple[int, int]:
    """The piece of evidence that a sentence rests on, and the number of its sentence."""
    part = index * snippets * PER_SNIPPET // sentences
    return part // PER_SNIPPET + 1, part


def make_items(kind: str) -> Run:
    run = make_run(state=Run.State.FINISHED)
    for sentences, snippets in SHAPES:
        texts = [
            " ".join(
                SOURCE.format(part, part, part)
                for part in range(number * PER_SNIPPET, (number + 1) * PER_SNIPPET)
            )
            for number in range(snippets)
        ]
        marks = [f" [{source_of(index, sentences, snippets)[0]}]." for index in range(sentences)]
        if kind not in {"answer_quality", "citation"}:
            marks = ["."] * sentences
        text = " ".join(
            SENTENCE.format(index, index).replace(".", marks[index]) for index in range(sentences)
        )
        quotes = [
            {"idx": number, "docid": f"bridge#{number}", "text": each}
            for number, each in enumerate(texts, start=1)
        ]
        evidence = [
            {"title": f"Bridge {number}", "url": f"https://bridge.example/{number}", "text": each}
            for number, each in enumerate(texts, start=1)
        ]
        source = {"quotes": quotes} if marks[0] != "." else None
        passage = make_passage(run.dataset, text=text, context=CONTEXT, source=source)
        make_revision(
            run,
            passage=passage,
            state="done",
            text=text.replace("painted", "repainted"),
            is_changed=True,
            result={"report": {"evidence": evidence}},
        )
    return run


class Measured:
    """Sums over the items of a window."""

    def __init__(self) -> None:
        self.decisions = self.acts = 0
        self.scrolled = self.overflow = 0.0
        self.faults: list[str] = []

    def check(self, page: Page, kind: str, where: str, source: tuple[int, int] | None) -> None:
        found = page.evaluate(JUDGED.get(kind, QUESTION))
        if source:
            found["read"] = page.evaluate("([n, part]) => measuring.source(n, part)", list(source))
        self.decisions += 1
        self.acts += 1
        self.faults += [
            f"{where}: {name} out of sight" for name, is_seen in found.items() if not is_seen
        ]

    def add_scrolling(self, page: Page) -> None:
        for scrolled, overflow in page.evaluate("measuring.scrolled()"):
            self.scrolled += scrolled
            self.overflow += overflow


def read(page: Page, source: tuple[int, int], *, by_key: bool) -> None:
    """Scroll the evidence until the sentence is in sight."""
    number, part = source
    if not by_key:
        page.evaluate("([number, part]) => measuring.read(number, part)", [number, part])
        return
    for _ in range(40):
        if page.evaluate("([number, part]) => measuring.source(number, part)", [number, part]):
            return
        page.keyboard.press("PageDown")


def judge_attribution(page: Page, seen: Measured, where: str, shape: Any, *, by_key: bool) -> None:
    sentences, snippets = shape
    rated = 0
    for index in range(sentences):
        source = source_of(index, sentences, snippets)
        while rated < source[0] - 1:
            rate(page, seen, rated := rated + 1, by_key=by_key)
        read(page, source, by_key=by_key)
        if not by_key:
            element = f"document.querySelector('#sentence-{index + 1}')"
            page.evaluate(f"measuring.bring({element}, document.querySelector('.scroll'))")
            page.evaluate(f"{element}.focus({{preventScroll: true}})")
        seen.check(page, "attribution", f"{where}, sentence {index + 1}", source)
        if by_key:
            page.keyboard.press("2" if index % 3 else "1")
        else:
            left, top = page.evaluate(
                f"(({{left, top}}) => [left, top])({element}.getClientRects()[0])"
            )
            page.mouse.click(left + 40, top + 12)
    while rated < snippets:
        rate(page, seen, rated := rated + 1, by_key=by_key)


def rate(page: Page, seen: Measured, number: int, *, by_key: bool) -> None:
    if by_key:
        page.keyboard.press("u")
    else:
        button = f"#evidence-{number} [data-set='1']"
        page.evaluate(
            "name => measuring.bring(document.querySelector(name), "
            "document.querySelector('.evidence-pane'))",
            button,
        )
        page.locator(button).click()
    seen.acts += 1


def judge_questions(page: Page, seen: Measured, where: str, shape: Any, *, by_key: bool) -> None:
    sentences, snippets = shape
    for question in page.locator("fieldset.question").all():
        key = question.get_attribute("id")
        assert key is not None
        criterion, _, target = key.partition("-")
        source = None
        if criterion not in {"utility", "intent"}:
            source = source_of(int(target), sentences, snippets)
            read(page, source, by_key=by_key)
        if not by_key:
            page.evaluate(
                """key => {
                    const question = document.getElementById(key);
                    measuring.bring(question.closest(".part") ?? question, document.querySelector(".scroll"));
                }""",
                key,
            )
            page.evaluate(
                "key => document.getElementById(key).querySelector('input').focus({preventScroll: true})",
                key,
            )
        seen.check(page, "question", f"{where}, {key}", source)
        if by_key:
            page.keyboard.press("1")
        else:
            question.locator("label").first.click()


def judge_pair(page: Page, seen: Measured, where: str, shape: Any, *, by_key: bool) -> None:
    rows = page.locator(".pair tbody tr")
    for index in range(rows.count()):
        row = f"document.querySelectorAll('.pair tbody tr')[{index}]"
        for _ in range(40 if by_key else 0):
            if page.evaluate(f"[...{row}.cells].every((cell) => measuring.seen(cell))"):
                break
            page.keyboard.press("PageDown")
        else:
            page.evaluate(f"measuring.bring({row}, document.querySelector('.scroll'))")
        found = page.evaluate(f"[...{row}.cells].every((cell) => measuring.seen(cell))")
        seen.faults += [] if found else [f"{where}: row {index + 1} out of sight"]
        seen.check(page, "question", f"{where}, row {index + 1}", None)
    if by_key:
        page.keyboard.press("1")
    else:
        page.locator("label.level").first.click()


def revise(page: Page, seen: Measured, where: str, shape: Any, *, by_key: bool) -> None:
    sentences, snippets = shape
    for part in range(snippets * PER_SNIPPET):
        source = (part // PER_SNIPPET + 1, part)
        read(page, source, by_key=by_key)
        seen.check(page, "manual_revision", f"{where}, evidence sentence {part + 1}", source)
    if by_key:
        page.keyboard.press("e")
        page.keyboard.type("Well. ")
        page.keyboard.press("Escape")
    else:
        page.locator("#revised").click()
        page.keyboard.type("Well. ")
        page.locator("#revised").blur()


JUDGE = {"attribution": judge_attribution, "intent": judge_pair, "manual_revision": revise}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by_key", [True, False], ids=["keys", "mouse"])
def test_what_is_judged_its_answers_and_what_is_read_are_in_sight(
    open_item: Open, kind: str, by_key: bool
) -> None:
    page = open_item(kind, **{"run": make_items(kind), **OPTIONS.get(kind, {})})
    items = claim_all(page)
    faults = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        seen = Measured()
        Judgment.objects.all().delete()
        for item in items:
            page.goto(item.get_absolute_url())
            ready(page)
            page.evaluate(LIBRARY)
            shape = len(item.item.sentences), max(len(item.item.evidence), 1)
            where = f"{kind} {shape[0]} × {shape[1]} at {width} × {height}"
            JUDGE.get(kind, judge_questions)(page, seen, where, shape, by_key=by_key)
            seen.add_scrolling(page)
            if (width, height) == (1280, 800):
                faults += first_screen(page, kind, where)
            expect(page.locator("#saved[data-state=saved]")).to_be_visible()
        together = seen.decisions - len({fault.rpartition(":")[0] for fault in seen.faults})
        ratio = seen.scrolled / seen.overflow if seen.overflow else 0
        print(  # noqa: T201
            f"MEASURED {kind}, {'keys' if by_key else 'mouse'}, {width} × {height}: "
            f"together {together}/{seen.decisions}, scrolled {ratio:.2f} × what does not fit"
        )
        faults += seen.faults
        if ratio > 1.5:
            faults.append(f"{kind} at {width} × {height}: scrolled {ratio:.2f} × what does not fit")
    assert faults == []


def claim_all(page: Page) -> list[Assignment]:
    """The items of the campaign, all claimed by the rater."""
    first = Assignment.objects.get()
    Assignment.objects.update(submitted_at=timezone.now())
    while isinstance(claimed := claim_next(first.rater), Assignment):
        Assignment.objects.filter(pk=claimed.pk).update(submitted_at=timezone.now())
    Assignment.objects.update(submitted_at=None)
    return list(Assignment.objects.select_related("item").order_by("pk"))


FIRST = {
    "attribution": "#sentence-1",
    "intent": ".pair td",
    "manual_revision": "#revised",
    "citation": ".part .text",
    "answer_quality": ".part .text",
}


def first_screen(page: Page, kind: str, where: str) -> list[str]:
    """Where the first text begins in a new window, and how many tab stops precede it."""
    page.evaluate("document.activeElement.blur(); document.querySelector('.scroll').scrollTop = 0")
    top, stops = page.evaluate(
        """name => {
            const text = document.querySelector(name);
            const stops = [...document.querySelectorAll("a, button, input, textarea, summary, [tabindex='0']")]
                .filter((each) => each.checkVisibility() && each.tabIndex >= 0 && !each.disabled)
                .filter((each) => each.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING);
            return [text.getClientRects()[0].top, stops.length];
        }""",
        FIRST[kind],
    )
    faults = [] if top < 240 else [f"{where}: the text begins at {top}"]
    return faults + ([] if stops <= 5 else [f"{where}: {stops} tab stops before the text"])
