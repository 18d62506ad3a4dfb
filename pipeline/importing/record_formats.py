"""The format of a record, by its keys and the kinds of their values."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.importing import contexts
from pipeline.importing.columns import PASSAGE_FIELDS, plain_name
from pipeline.importing.lines import with_nested

QUESTIONS = ("question", "query")
TEXTS = frozenset(PASSAGE_FIELDS["text"].split())
ALCE_DATA = {"docs", "qa_pairs", "annotations", "answers", "claims"}
"""Keys that an item of ALCE's data has besides its question."""
TABLE = "table"
"""A record whose text is in a column of a known name."""


def record_format(record: Mapping[str, Any], *, is_document: bool) -> str:
    """Return the format of a record, "table", or "" if none is recognized.

    `is_document` is true for one JSON document, as ALCE's files are.

    >>> record_format({"claim": "It ends in the sea.", "references": []}, is_document=False)
    'table'
    """
    if "input_info" in record:
        return "rarr"
    answers = record.get("answers")
    if "query" in record and answers and not _is_gold(answers):
        return "hagrid"
    asks = any(isinstance(record.get(name), str) for name in QUESTIONS)
    if is_document and asks and not _has_other_contexts(record):
        if "output" in record:
            return "alce"
        if ALCE_DATA & record.keys():
            return "questions"
    if "text" not in record and contexts.is_row(record):
        return "contexts"
    names = {plain_name(name): name for name in record}
    texts = TEXTS & names.keys()
    if (asks or "turns" in record) and not texts:
        return "questions"
    values = with_nested(record)
    if texts or any(plain_name(name.rpartition(".")[2]) in TEXTS for name in values):
        return TABLE if _has_text(values) else ""
    return ""


def common_format(records: Iterable[Mapping[str, Any]], *, is_document: bool) -> str:
    """Return the format of most records; "" if none is recognized.

    >>> common_format([{"text": "One."}, {"n": 1}], is_document=False)
    'table'
    """
    formats = (record_format(record, is_document=is_document) for record in records)
    counts = Counter(filter(None, formats))
    return counts.most_common(1)[0][0] if counts else ""


def _has_text(values: Mapping[str, Any]) -> bool:
    return any(
        plain_name(name.rpartition(".")[2]) in TEXTS and not isinstance(value, dict | list)
        for name, value in values.items()
    )


def _has_other_contexts(record: Mapping[str, Any]) -> bool:
    """Return whether it has contexts under another key than ALCE's."""
    name = contexts.names_of(record).get("contexts", "docs")
    return name != "docs" and isinstance(record[name], list)


def _is_gold(answers: Any) -> bool:
    """Return whether these are right answers."""
    return isinstance(answers, list) and isinstance(answers[0], str | list)
