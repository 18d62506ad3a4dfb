"""What came with an imported passage beside its text: its sources, its revision, its units."""

from collections.abc import Mapping
from typing import Any

from pipeline.importing.hagrid import is_answer
from pipeline.rarr.types import Span

LISTS = ("quotes", "docs", "references", "evidence", "sources")
"""Where HAGRID, ALCE, AttributionBench and plain lines have a passage's sources.

Each source is an object or a text.
"""


def sources_of(source: Mapping[str, Any]) -> list[dict[str, str]]:
    """Title, url and text of each source, in the file's order; HAGRID's by their numbers.

    >>> sources_of({"docs": [{"title": "Ribble", "text": "It runs west."}]})
    [{'title': 'Ribble', 'url': '', 'text': 'It runs west.'}]
    >>> sources_of({"evidence": ["It runs west."], "other": 1})
    [{'title': '', 'url': '', 'text': 'It runs west.'}]
    """
    lists = [source.get(name) for name in LISTS]
    lists.append(_result(source).get("selected_evidences"))
    lists.append([source.get("premise")])
    found = next((each for each in lists if isinstance(each, list) and each), [])
    if found is lists[0]:
        found = sorted(found, key=_number)
    return list(filter(None, map(_snippet, found)))


def units_of(source: Mapping[str, Any], text: str) -> list[Span]:
    """Where the sentences of an imported HAGRID answer stand in its text.

    None of them where one is not found, or anything is left that no sentence has.

    >>> told = [{"text": "It fell [1]."}, {"text": "Why?"}]
    >>> [(each.start, each.end) for each in units_of({"answer": {"sentences": told}},
    ...     "It fell [1]. Why?")]
    [(0, 12), (13, 17)]
    >>> units_of({"answer": {"sentences": told}}, "It fell [1]. But why?")
    []
    """
    told = source["answer"].get("sentences") if is_answer(source) else None
    units: list[Span] = []
    end = 0
    for each in told or []:
        words = str(each.get("text") or "") if isinstance(each, dict) else ""
        start = text.find(words, end)
        if not words or start < 0 or text[end:start].strip():
            return []
        end = start + len(words)
        units.append(Span(start=start, end=end))
    return [] if text[end:].strip() else units


def _result(source: Mapping[str, Any]) -> Mapping[str, Any]:
    result = source.get("result")
    return result if isinstance(result, dict) else {}


def _number(quote: Any) -> float:
    """Quotes without a number stand last, as they came."""
    number = quote.get("idx") if isinstance(quote, dict) else None
    return number if isinstance(number, int | float) else float("inf")


def _snippet(each: Any) -> dict[str, str] | None:
    if isinstance(each, str):
        each = {"text": each}
    if not isinstance(each, dict) or not str(each.get("text") or "").strip():
        return None
    title = each.get("title") or each.get("docid")
    return {
        "title": str(title or ""),
        "url": str(each.get("url") or ""),
        "text": str(each["text"]),
    }
