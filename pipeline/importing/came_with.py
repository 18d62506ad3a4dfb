"""What came with an imported passage beside its text: its sources, its revision, its units."""

from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.importing.sources import Source, read_source
from pipeline.rarr.types import Document, Evidence, Report
from pipeline.text.spans import Span

LISTS = ("contexts", "quotes", "docs", "references", "evidence", "sources")
"""Where lines of contexts, HAGRID, ALCE and plain lines, such as AttributionBench's, have sources.

Each source is an object or a text.
"""


def sources_of(source: Mapping[str, Any]) -> list[Source]:
    """The sources that came with their texts, in the order of their numbers.

    >>> sources_of({"docs": [{"title": "Ribble", "text": "It runs west."}]})
    [Source(number=1, title='Ribble', url='', text='It runs west.')]
    >>> [each.number for each in sources_of({"evidence": ["", "It runs west."], "other": 1})]
    [2]
    """
    return [each for each in numbered_sources(source) if each.text.strip()]


def numbered_sources(source: Mapping[str, Any]) -> list[Source]:
    """All sources that the file names, in the order of the numbers by which the text cites them.

    HAGRID's have numbers of their own; elsewhere the first is [1]. None where no source came with
    a text: then there is nothing to judge against.

    >>> numbered_sources({"quotes": [{"idx": 3, "text": "So."}, {"idx": 1, "text": ""}]})[0].number
    1
    """
    given = _given(source)
    is_numbered = given is source.get("quotes")
    read = [
        read_source(_number(each, place) if is_numbered else place, each)
        for place, each in enumerate(given, start=1)
    ]
    # Of two with one number the last one has it.
    found = list({each.number: each for each in read if each}.values())
    found.sort(key=lambda each: each.number)
    return found if any(each.text.strip() for each in found) else []


def addresses_of(source: Mapping[str, Any]) -> list[str]:
    """The URLs of the sources that came without a text.

    >>> addresses_of({"sources": ["https://example.org/ribble", "It runs west."]})
    ['https://example.org/ribble']
    """
    read = (read_source(0, each) for each in _given(source))
    return [each.url for each in read if each and each.url and not each.text.strip()]


def with_pages(source: dict[str, Any], pages: Mapping[str, Document]) -> dict[str, Any]:
    """`source`, changed in place: those of `addresses_of` that `pages` has are objects with texts.

    >>> page = Document(id="a", title="Ribble", url="https://a.example", text="It runs west.")
    >>> with_pages({"sources": [page.url]}, {page.url: page})["sources"]
    [{'title': 'Ribble', 'url': 'https://a.example', 'text': 'It runs west.'}]
    """
    given = _given(source)
    for place, each in enumerate(given):
        read = read_source(0, each)
        if read and not read.text.strip() and (page := pages.get(read.url)):
            own = each if isinstance(each, dict) else {}
            title = read.title or page.title
            given[place] = {**own, "title": title, "url": page.url, "text": page.text}
    return source


def documents_of(source: Mapping[str, Any]) -> tuple[Document, ...]:
    """The sources as documents to search; the numbers that the text cites are their ids."""
    return tuple(
        Document(id=str(each.number), title=each.title, url=each.url, text=each.text)
        for each in sources_of(source)
    )


def report_of(sources: Iterable[Source | Evidence]) -> Report:
    """The sources as the evidence of a text that nobody searched for."""
    return Report(
        evidence=tuple(
            Evidence(
                title=each.title, url=each.url, text=each.text, document_id="", query="",
                relevance=0.0,
            )
            for each in sources
        )
    )  # fmt: skip


def units_of(source: Mapping[str, Any], text: str) -> list[Span]:
    """Where the units of an imported answer stand in its text: its sentences, as HAGRID has them.

    None of them where one is not found, or anything is left that no unit has.

    >>> told = [{"text": "It fell [1]."}, {"text": "Why?"}]
    >>> [(each.start, each.end) for each in units_of({"answer": {"sentences": told}},
    ...     "It fell [1]. Why?")]
    [(0, 12), (13, 17)]
    >>> units_of({"answer": {"sentences": told}}, "It fell [1]. But why?")
    []
    """
    units: list[Span] = []
    end = 0
    answer = source.get("answer")
    given = answer.get("sentences") if isinstance(answer, dict) else None
    for each in given if isinstance(given, list) else ():
        words = str(each.get("text") or "") if isinstance(each, dict) else ""
        start = text.find(words, end)
        if not words or start < 0 or text[end:start].strip():
            return []
        end = start + len(words)
        units.append(Span(start=start, end=end))
    return [] if text[end:].strip() else units


def _given(source: Mapping[str, Any]) -> list[Any]:
    lists = [source.get(name) for name in LISTS]
    result = source.get("result")
    lists.append(result.get("selected_evidences") if isinstance(result, dict) else None)
    lists.append([source.get("premise")])
    return next((each for each in lists if isinstance(each, list) and each), [])


def _number(quote: Any, place: int) -> int:
    """The number of a quote: its own, or its place."""
    number = quote.get("idx") if isinstance(quote, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else place
