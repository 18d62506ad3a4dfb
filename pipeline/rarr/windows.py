"""Evidence candidates (section 3.1): windows of sentences that slide down a page."""

import re
from collections.abc import Iterator

from pipeline.rarr.ports import SentenceSplitter
from pipeline.rarr.types import Document, Evidence
from pipeline.text.spans import Span
from pipeline.text.windows import windows

HEADING = re.compile(r"^#{1,6}[ \t]+(.*)$", re.MULTILINE)


def slide_windows(
    document: Document, *, splitter: SentenceSplitter, size: int, stride: int
) -> Iterator[Evidence]:
    """Yield windows of `size` sentences that cover every sentence; their query is empty.

    A window begins min(`stride`, `size`) sentences after the previous one, the last one earlier if
    it would be short. No window crosses a heading; a section of fewer sentences is one window.
    """
    for heading, section in sections(document.text):
        spans = splitter(section.of(document.text))
        sizes = [1] * len(spans)  # without a limit only their number matters
        for _, end in windows(sizes, count=size, step=stride):
            first = max(end - size, 0)  # extends a short last window backwards
            start = section.start + spans[first].start
            yield Evidence(
                text=document.text[start : section.start + spans[end - 1].end],
                title=document.title,
                url=document.url,
                document_id=document.id,
                query="",
                relevance=0.0,
                heading=heading,
                start=start,
                sentences=end - first,
            )


def sections(text: str) -> Iterator[tuple[str, Span]]:
    """Yield heading ("" before the first) and span of each section that is not blank."""
    heading, start = "", 0
    for match in HEADING.finditer(text):
        if text[start : match.start()].strip():
            yield heading, Span(start=start, end=match.start())
        heading, start = match[1].strip().rstrip("#").rstrip(), match.end()
    if text[start:].strip():
        yield heading, Span(start=start, end=len(text))
