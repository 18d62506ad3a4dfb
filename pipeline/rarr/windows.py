"""Research stage, evidence candidates (section 3.1): a window of sentences slides down a page.

No window crosses a heading, and none leaves a sentence out, however long: whatever a document
says can be found.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.rarr.ports import SentenceSplitter
from pipeline.rarr.types import Document
from pipeline.text.spans import Span
from pipeline.text.windows import windows

HEADING = re.compile(r"^#{1,6}[ \t]+(.*)$", re.MULTILINE)


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
    result: list[Window] = []
    for heading, section in sections(document.text):
        spans = splitter(section.of(document.text))
        for _, last in windows([1] * len(spans), count=sentences, step=stride):
            first = max(last - sentences, 0)
            start = section.start + spans[first].start
            result.append(
                Window(
                    text=document.text[start : section.start + spans[last - 1].end],
                    start=start,
                    heading=heading,
                    sentences=last - first,
                )
            )
    return tuple(result)


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
