"""Evidence candidates (section 3.1): windows of sentences that slide down a page."""

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

    document: Document
    text: str
    start: int
    """Offset in the document's text."""
    heading: str
    sentences: int


def slide_windows(
    document: Document, *, splitter: SentenceSplitter, sentences: int, stride: int
) -> tuple[Window, ...]:
    """Return windows of `sentences` sentences that cover every sentence.

    Each begins `stride`, but at most `sentences`, after the previous. None crosses a heading or
    contains another; a section of fewer sentences is one window.
    """
    result: list[Window] = []
    for heading, section in sections(document.text):
        spans = splitter(section.of(document.text))
        for _, end in windows([1] * len(spans), count=sentences, step=stride):
            first = max(end - sentences, 0)  # extends a short last window backwards
            start = section.start + spans[first].start
            result.append(
                Window(
                    document=document,
                    text=document.text[start : section.start + spans[end - 1].end],
                    start=start,
                    heading=heading,
                    sentences=end - first,
                )
            )
    return tuple(result)


def sections(text: str) -> Iterator[tuple[str, Span]]:
    """Yield heading ("" before the first) and span of each section that is not blank."""
    heading, start = "", 0
    for match in HEADING.finditer(text):
        if text[start : match.start()].strip():
            yield heading, Span(start=start, end=match.start())
        heading, start = match[1].strip().rstrip("#").rstrip(), match.end()
    if text[start:].strip():
        yield heading, Span(start=start, end=len(text))
