"""Evidence candidates (section 3.1): windows of sentences that slide down a page.

No window crosses a heading, and every sentence is in a window.
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
    """Consecutive sentences under one heading of a document."""

    text: str
    start: int
    """Offset in the document's text."""
    heading: str
    sentences: int


def slide_windows(
    document: Document, *, splitter: SentenceSplitter, sentences: int, stride: int
) -> tuple[Window, ...]:
    """Return all windows of `sentences` sentences, `stride` (at most that) apart.

    A shorter section is one window; no window contains another.
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
    """Yield each heading ("" before the first) and the span of the text below it.

    Sections without text are skipped.
    """
    heading, start = "", 0
    for match in HEADING.finditer(text):
        if text[start : match.start()].strip():
            yield heading, Span(start=start, end=match.start())
        heading, start = match[1].strip().rstrip("#").rstrip(), match.end()
    if text[start:].strip():
        yield heading, Span(start=start, end=len(text))
