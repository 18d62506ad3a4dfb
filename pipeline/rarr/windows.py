"""Research stage, evidence candidates (section 3.1): a window of sentences slides down a page.

No window crosses a heading, and none leaves a sentence out, however long: whatever a document
says can be found.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.rarr.ports import SentenceSplitter
from pipeline.rarr.types import Document, Span

HEADING = re.compile(r"^#{1,6}[ \t]+(.*)$", re.MULTILINE)

LONGEST_SENTENCE = 4000
"""Characters. A longer "sentence" is a table or a list; it is cut at white space into pieces
that count as sentences, so that four of them still make a snippet somebody can read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Some sentences that follow one another under one heading of a document."""

    text: str
    start: int
    """Where the text begins in the document's text."""
    heading: str
    sentences: int


def slide_windows(
    document: Document, *, splitter: SentenceSplitter, sentences: int, stride: int
) -> tuple[Window, ...]:
    """All windows of `sentences` sentences, a step of `stride` apart, in the page's order.

    A section of fewer sentences is one window, and no window lies within another. A stride
    longer than the window would leave sentences out, so it counts as long as the window.
    """
    windows: list[Window] = []
    for heading, section in sections(document.text):
        found = _sentences(document.text, section, splitter)
        last = max(len(found) - sentences, 0)
        for first in [*range(0, last, min(stride, sentences)), last]:
            if some := found[first : first + sentences]:
                windows.append(
                    Window(
                        text=document.text[some[0].start : some[-1].end],
                        start=some[0].start,
                        heading=heading,
                        sentences=len(some),
                    )
                )
    return tuple(windows)


def sections(text: str) -> Iterator[tuple[str, Span]]:
    """The stretches of text between heading lines, each with the heading above it.

    The heading line itself belongs to no section. A section without a word is left out.
    """
    heading, start = "", 0
    for match in HEADING.finditer(text):
        if text[start : match.start()].strip():
            yield heading, Span(start=start, end=match.start())
        heading, start = match[1].strip().rstrip("#").rstrip(), match.end()
    if text[start:].strip():
        yield heading, Span(start=start, end=len(text))


def _sentences(text: str, section: Span, splitter: SentenceSplitter) -> list[Span]:
    return [
        Span(start=section.start + piece.start, end=section.start + piece.end)
        for sentence in splitter.split(section.of(text))
        for piece in pieces(section.of(text), sentence)
    ]


def pieces(text: str, sentence: Span) -> Iterator[Span]:
    """A sentence of `text`, cut at white space where it is longer than `LONGEST_SENTENCE`."""
    start = sentence.start
    while sentence.end - start > LONGEST_SENTENCE:
        cut = max(
            text.rfind(space, start + LONGEST_SENTENCE // 2, start + LONGEST_SENTENCE)
            for space in (" ", "\n", "\t")
        )
        # A script that has no spaces is cut where the length ends.
        end = cut if cut > start else start + LONGEST_SENTENCE
        yield Span(start=start, end=end)
        start = end
        while start < sentence.end and text[start].isspace():
            start += 1
    if start < sentence.end:
        yield Span(start=start, end=sentence.end)


class RememberingSplitter:
    """A sentence splitter that splits a text once, and remembers the latest texts.

    Splitting costs more than anything else that is done with a document, and the queries of
    one passage find the same documents again and again.
    """

    def __init__(self, splitter: SentenceSplitter, *, characters: int = 8_000_000) -> None:
        """`characters`: how much text to remember, so that memory stays bounded."""
        self._splitter = splitter
        self._limit = characters
        self._held = 0
        self._known: OrderedDict[str, tuple[Span, ...]] = OrderedDict()
        self._lock = threading.Lock()
        self._splitting = threading.Lock()
        """Sentence splitters hold the text that they are at: one at a time."""

    def split(self, text: str) -> Sequence[Span]:
        with self._lock:
            if text in self._known:
                self._known.move_to_end(text)
                return self._known[text]
        with self._splitting:
            spans = tuple(self._splitter.split(text))
        with self._lock:
            if text not in self._known and len(text) <= self._limit:
                self._known[text] = spans
                self._held += len(text)
                while self._held > self._limit:
                    forgotten, _ = self._known.popitem(last=False)
                    self._held -= len(forgotten)
        return spans
