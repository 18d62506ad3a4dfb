"""Which sentence of a revision was which of the passage: the page's own reckoning, in a browser."""

import pytest
from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

ALIGNED = """async ([texts, revised]) => {
    const { align } = await import("/static/js/judging/alignment.js");
    let at = 0;
    const sentences = texts.map((text) => {
        const found = { start: at, end: at + text.length };
        at = found.end + 1;
        return found;
    });
    return align(texts.join(" "), sentences, revised).map(
        ({ start, end, state }) => [revised.slice(start, end), state]);
}"""
THERE_AND_BACK = """async (texts) => {
    const { align, leftOut, putBack } = await import("/static/js/judging/alignment.js");
    const apply = (text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end);
    const failures = [];
    for (const [original, sentences] of texts) {
        for (let out = 1; out < 2 ** sentences.length; out++) {
            const chosen = sentences.map((_, index) => index).filter((index) => out & (2 ** index));
            let text = original;
            for (const index of chosen)
                text = apply(text, leftOut(text, align(original, sentences, text)[index]));
            const states = align(original, sentences, text).map(({ state }) => state === "gone");
            if (states.some((gone, index) => gone !== chosen.includes(index)))
                failures.push(["left out", original, chosen, text]);
            if (/^\\s|\\s$|  /.test(text) && !/^\\s|\\s$|  /.test(original))
                failures.push(["spaces", original, chosen, text]);
            for (const index of chosen)
                text = apply(text, putBack(
                    original, sentences, text, align(original, sentences, text), index));
            if (text !== original) failures.push(["put back", original, chosen, text]);
        }
    }
    return failures;
}"""


CASES = [
    (
        ["The bridge opened in 1934.", "The bridge is red.", "It is long."],
        "The bridge is red. It is long, too.",
        [("", "gone"), ("The bridge is red.", "kept"), ("It is long, too.", "changed")],
    ),
    (
        ["One is here.", "Two is here."],
        "In fact one is there. Somebody said so. Two is here.",
        [("In fact one is there.", "changed"), ("Two is here.", "kept")],
    ),
    (
        ["Red.", "Red.", "Blue."],
        "Red. Blue.",
        [("Red.", "kept"), ("", "gone"), ("Blue.", "kept")],
    ),
    (["It opened.", "It closed."], "", [("", "gone"), ("", "gone")]),
    (
        ["It opened in 1934.", "It is red.", "Nobody knows."],
        "It opened in 1932. Nobody knows.",
        [("It opened in 1932.", "changed"), ("", "gone"), ("Nobody knows.", "kept")],
    ),
    (
        ["It opened in 1934 and is red.", "Nobody knows."],
        "It opened in 1934. It is red. Some know.",
        [("It opened in 1934. It is red.", "changed"), ("Some know.", "changed")],
    ),
    (
        ["First comes a.", "Then comes b.", "Last comes c."],
        "Last comes c. First comes a. Then comes b.",
        [("First comes a.", "kept"), ("Then comes b.", "kept"), ("", "gone")],
    ),
]
"""The sentences of a passage, the revision, and what becomes of each sentence."""


@pytest.fixture
def site(page: Page) -> Page:
    """Any page of the site: the module needs none."""
    page.goto("/log-in/")
    return page


def test_sentences_are_found_in_what_they_became(site: Page) -> None:
    for texts, revised, found in CASES:
        aligned = site.evaluate(ALIGNED, [texts, revised])
        assert [tuple(each) for each in aligned] == found, revised


def test_any_sentences_left_out_and_put_back_make_the_passage_again(site: Page) -> None:
    texts = []
    for gaps in ([" "] * 4, ["\n\n", " ", "\n\n", " "], ["", "", "", ""], [" ", "\n", "  ", " "]):
        sentences, original = [], ""
        for number, words in enumerate(("The bridge opened in 1934.", "It opened.", "It is red?", "The bridge is long.", "It.")):  # fmt: skip  # noqa: E501
            original += gaps[number - 1] if number else ""
            sentences.append({"start": len(original), "end": len(original) + len(words)})
            original += words
        texts.append([original, sentences])
    assert site.evaluate(THERE_AND_BACK, texts) == []
