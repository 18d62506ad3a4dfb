"""One source of an answer, as files have it: a text, or an object under one of many tools' keys."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.importing.lines import with_nested

KEYS = {
    "text": (
        "text", "content", "contents", "page_content", "segment", "passage", "body", "chunk",
        "doc.segment", "doc.text", "doc.contents", "node.text",
    ),
    "title": ("title", "metadata.title", "doc.title", "metadata.file_name"),
    "url": ("url", "link", "metadata.url", "metadata.source", "doc.url"),
    "id": ("docid", "doc_id", "document_id", "id", "metadata.id"),
}  # fmt: skip
"""What objects of sources call each field, the likeliest first; `metadata.title` is the key title
of the object metadata.

ALCE, HAGRID, RAGChecker (`doc_id`), MS MARCO's segments (`segment`), Anserini (`contents`, `doc`),
LangChain (`page_content`, `metadata`), LlamaIndex (`node`).
"""

ADDRESS = re.compile(r"\s*(https?://\S+)\s*", re.IGNORECASE)
"""A whole text that is a URL."""

LARGEST = 999
"""A larger number is no citation (`metrics.citation_marks.GROUP`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What an answer was made from, or cites."""

    number: int
    """By which the answer cites it; the first one is [1] where the file numbers none."""
    title: str
    """Its id where it has no title."""
    url: str
    text: str
    """Empty where the file names the source without its text."""


def read_source(number: int, given: Any) -> Source | None:
    """The source, or None for what is neither a text nor an object.

    A URL in place of a text is where the source is: it has no text.

    >>> read_source(1, "It runs west.")
    Source(number=1, title='', url='', text='It runs west.')
    >>> read_source(1, "https://example.org/ribble")
    Source(number=1, title='', url='https://example.org/ribble', text='')
    >>> read_source(2, {"docid": 7, "doc": {"segment": "It runs west."}})
    Source(number=2, title='7', url='', text='It runs west.')
    """
    if isinstance(given, str):
        given = {"text": given}
    if not isinstance(given, dict):
        return None
    keys = with_nested(given)
    found = {field: _value(keys, names) for field, names in KEYS.items()}
    address = ADDRESS.fullmatch(found["text"])
    return Source(
        number=number,
        title=found["title"] or found["id"],
        url=found["url"] or (address[1] if address else ""),
        text="" if address else found["text"],
    )


def in_places(sources: Sequence[Source]) -> list[Source]:
    """The sources, each at the place of its number, and an empty one where a number is left out.

    Those whose numbers no text can cite stand last.

    >>> ribble = Source(number=2, title="Ribble", url="", text="It runs west.")
    >>> [each.title for each in in_places([ribble])]
    ['', 'Ribble']
    """
    by_number = {each.number: each for each in sources if 0 < each.number <= LARGEST}
    places = range(1, max(by_number, default=0) + 1)
    empty = (Source(number=number, title="", url="", text="") for number in places)
    others = [each for each in sources if each.number not in by_number]
    return [by_number.get(each.number, each) for each in empty] + others


def has_text(given: Mapping[str, Any]) -> bool:
    """Whether an object has a key for the source's text, and a text there.

    >>> has_text({"page_content": ""}), has_text({"text": None})
    (True, False)
    """
    keys = with_nested(given)
    return any(isinstance(keys.get(name), str) for name in KEYS["text"])


def _value(keys: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = keys.get(name)
        if isinstance(value, (str, int)) and value != "":
            return str(value)
    return ""
