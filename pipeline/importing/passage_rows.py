"""Typed rows from the fields of a line."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from operator import attrgetter
from typing import Any

import msgspec

from pipeline.importing.lines import with_nested
from pipeline.importing.passage import TEXT, Format, Gold, KeyPath, PassageSource, QaPair, Source
from pipeline.importing.rows import PART, PartName, PassageRow, content_id

LISTS = ("contexts", "quotes", "docs", "ctxs", "references", "evidence", "sources")
"""Keys of lists of sources in all formats and plain lines, such as AttributionBench's."""
_TEXTS = ("text", "content", "contents", "page_content", "segment", "passage", "body", "chunk")
_SNIPPETS = ("snippet", "page_snippet")
_NESTED_TEXTS = ("doc.segment", "doc.text", "doc.contents", "node.text")
_TITLES = ("title", "metadata.title", "doc.title", "metadata.file_name", "page_name")
_IDS = ("docid", "doc_id", "document_id", "id", "metadata.id")
KEYS = {
    "text": _TEXTS + _NESTED_TEXTS + _SNIPPETS,
    "title": _TITLES + _IDS,
    "url": ("url", "link", "metadata.url", "metadata.source", "doc.url", "page_url"),
}
"""Keys of each field of a source, the likeliest first; `doc.text` is the key text of doc.

ALCE, HAGRID, RAGChecker (`doc_id`), MS MARCO's segments (`segment`), Anserini (`contents`, `doc`),
LangChain (`page_content`, `metadata`), LlamaIndex (`node`), CRAG (`page_snippet`).
"""
NAMES = frozenset(name for names in KEYS.values() for name in names)
NESTING = {name.partition(".")[0] for name in NAMES if "." in name}
URL = re.compile(r"\s*(https?://\S+)\s*", re.IGNORECASE)
"""A text that is a URL only."""
_in_order = msgspec.json.Encoder(order="deterministic")


def hash_of(value: Any) -> str:
    """Return the SHA-256 of JSON, independent of the order of keys; NaN is null."""
    return hashlib.sha256(_in_order.encode(value)).hexdigest()


def without_part(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a record: all but the name of its list or file."""
    content = {**record}
    if type(content.get(PART)) is PartName:
        del content[PART]
    return content


def passage_row(
    *,
    line: int,
    external_id: str,
    text: str,
    context: str,
    fields: dict[str, Any],
    format: Format,  # noqa: A002
    sources: str | None = None,
    record: dict[str, Any] | None = None,
    mapping: Any = None,
    **annotations: Any,
) -> PassageRow:
    """Build a row from a line's other `fields` and fields of `PassageSource`.

    The content hash is SHA-256 of all values, independent of the order of keys, without a
    `PartName`. A row without an id gets one from its `record`, or these values, without `result`:
    results of several systems over one passage share it. `mapping` tells how the record was read.
    `sources` is the key of the sources, "" for the report in `result` only; by default the first of
    `LISTS`.
    """
    content = without_part(fields)
    chosen, sources_at = _read_sources(fields, sources)
    run = fields.get("run")
    system = fields.get("system") or (run.get("system") if isinstance(run, dict) else "")
    source = PassageSource(
        sources=chosen,
        sources_at=sources_at,
        gold=_read_gold(fields, question=context.strip()),
        system=system if isinstance(system, str) else "",
        extra=content if len(content) == len(fields) else {**content, PART: str(fields[PART])},
        **annotations,
    )
    if external_id:
        content_hash = hash_of([text, context, content, sources, source.attributable])
    else:
        if record is None:
            content = {"text": text, "context": context, **content}
            mapping = [sources, source.attributable]
        else:
            content = without_part(record)
        result = content.pop("result", None)
        digest = hashlib.sha256(_in_order.encode(content))
        external_id = content_id(digest.hexdigest())
        digest.update(_in_order.encode([mapping, result]))
        content_hash = digest.hexdigest()
    return PassageRow(
        line=line,
        external_id=external_id,
        text=text,
        context=context,
        format=format,
        source=source.read_texts(),
        content_hash=content_hash,
    )


def has_text(source: Mapping[str, Any]) -> bool:
    """Return whether an object has a text, even an empty one."""
    given = with_nested(source)
    return any(isinstance(given.get(name), str) for name in KEYS["text"]) or bool(_longest(source))


def is_evidence(value: Any) -> bool:
    """Return whether a value is a list of objects with a text, and a title or URL.

    >>> is_evidence([{"title": "Tees", "text": "It is long."}]), is_evidence([{"text": "It is."}])
    (True, False)
    """
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return False
    keys = with_nested(value[0]).keys()
    origins = {*_TITLES, *KEYS["url"]}
    return not keys.isdisjoint(KEYS["text"]) and not keys.isdisjoint(origins)


def _read_sources(fields: Mapping[str, Any], chosen: str | None) -> tuple[list[Source], KeyPath]:
    """Return a line's sources by number, and the path of their list.

    HAGRID numbers its quotes; elsewhere the first source is [1].
    """
    if chosen and not isinstance(fields.get(chosen), list):
        source = _read_source(fields.get(chosen) or None, number=1, position=chosen)
        return [source] if source else [], ()
    for name in LISTS if chosen is None else (chosen,):
        if isinstance(given := fields.get(name), list) and given:
            path: KeyPath = (name,)
            break
    else:
        result = fields.get("result")
        given = result.get("selected_evidences") if isinstance(result, dict) else None
        path = ("result", "selected_evidences")
        if not (isinstance(given, list) and given):
            source = None
            if chosen is None:
                source = _read_source(fields.get("premise"), number=1, position="premise")
            return [source] if source else [], ()
    by_number = {}
    for position, each in enumerate(given):
        number = each.get("idx") if path == ("quotes",) and isinstance(each, dict) else None
        if type(number) is not int:
            number = position + 1
        if source := _read_source(each, number=number, position=position):
            by_number[number] = source
    return sorted(by_number.values(), key=attrgetter("number")), path


def _read_source(given: Any, *, number: int, position: int | str) -> Source | None:
    """Read the text or object of a source; None for any other value."""
    if not isinstance(given, (str, dict)):
        return None
    source = {"text": given} if isinstance(given, str) else given
    values = source if NESTING.isdisjoint(source) else with_nested(source)
    names = _names_of(tuple(filter(NAMES.__contains__, values)))
    text_name, text = _first(values, names["text"] or [_longest(source)])
    _, title = _first(values, names["title"])
    _, url = _first(values, names["url"])
    text_at: KeyPath | None = TEXT
    if address := URL.fullmatch(text):
        url = url or address[1]
    if address or not text:
        text_at = None
    elif isinstance(given, str):
        text_at = ()
    elif text_name != "text":
        text_at = (text_name,) if text_name in given else tuple(text_name.split(".", 1))
    sent = source.get("sent")
    return Source(
        number=number,
        title=title,
        url=url,
        sent=sent if isinstance(sent, str) else None,
        position=position,
        text_at=text_at,
    )


def _longest(source: Mapping[str, Any]) -> str:
    """Return the key of the longest text under an unknown name, "" for none."""
    texts = {key: each for key, each in source.items() if isinstance(each, str) and " " in each}
    return max(texts.keys() - NAMES, key=lambda key: len(texts[key]), default="")


def _first(values: Mapping[str, Any], names: Iterable[str]) -> tuple[str, str]:
    """Return the first of `names` with a text or number, and its value, or empty texts."""
    for name in names:
        value = values.get(name)
        if isinstance(value, (str, int)) and value != "":
            return name, str(value)
    return "", ""


@lru_cache(maxsize=100)
def _names_of(names: tuple[str, ...]) -> dict[str, list[str]]:
    """Select each field's keys among `names`."""
    return {field: [key for key in keys if key in names] for field, keys in KEYS.items()}


GOLD_ANSWERS = "gold_answers"


def _read_gold(fields: Mapping[str, Any], *, question: str) -> Gold | None:
    """Read fields of ALCE's types; a plain line's `answers` are aliases of one.

    A HAGRID line has them as `GOLD_ANSWERS`.

    >>> _read_gold({"answers": ["Ada Lee", "A. Lee"]}, question="Who?").qa_pairs
    [QaPair(short_answers=['Ada Lee', 'A. Lee'], question='Who?')]
    """
    if GOLD_ANSWERS in fields:
        fields = {"answers": fields[GOLD_ANSWERS], **fields}
    valid: dict[str, Any] = {}
    is_verdict = "_task_hash" in fields  # Prodigy's answer is accept or reject
    for name in Gold.__struct_fields__:
        if name in fields and not is_verdict:
            with suppress(msgspec.ValidationError):
                valid[name] = getattr(msgspec.convert({name: fields[name]}, Gold), name)
    aliases = fields.get("answers")
    if isinstance(aliases, list) and aliases and all(isinstance(each, str) for each in aliases):
        pairs = [QaPair(question=question, short_answers=aliases)]
        valid["qa_pairs"] = valid.get("qa_pairs") or pairs
    return Gold(**valid) if valid else None
