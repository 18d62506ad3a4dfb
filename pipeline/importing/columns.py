"""Guesses of the column or key of each field."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from pipeline.importing import csv_table
from pipeline.importing.lines import read_rows, with_nested
from pipeline.importing.rows import RowError

MAX_NAME_CHARACTERS = 200
"""A longer name is text: the table has no header."""
LOOKED_AT = 50
"""Rows to guess from."""
PASSAGE_FIELDS = {
    "text": "text passage claim hypothesis answer response output modeloutput prediction "
    "generation generatedtext completion statement summary content body",
    "context": "context question query prompt instruction input dialog dialogue history",
    "id": "id passageid claimid answerid exampleid key uid uuid questionid queryid qid "
    "nr no number #",
}
"""Usual names of each field, the likeliest first."""
DOCUMENT_FIELDS = {
    "text": "text content contents body document passage article abstract",
    "title": "title name heading headline",
    "url": "url link uri href sourceurl address source",
    "id": "id docid documentid key uid uuid pid",
}


def read_beginning(path: Path, *, format: str) -> list[dict[str, Any]]:  # noqa: A002
    """Read the first valid rows; nested keys get dotted names."""
    rows: Iterable[dict[str, Any] | RowError]
    if format == "csv":
        rows = csv_table.read_table(path, lambda line, row: row, text=None)
    else:
        rows = read_rows(path, lambda line, row: iter([_flat(row)]))
    return [row for row in islice(rows, LOOKED_AT) if not isinstance(row, RowError)]


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in with_nested(row).items() if not isinstance(value, dict)}


def names_of(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for row in rows for name in row if name)
    short = (name for name in names if len(name) <= MAX_NAME_CHARACTERS)
    return list(islice(short, csv_table.MAX_COLUMNS))


def guess_columns(
    rows: Sequence[Mapping[str, Any]],
    *,
    fields: Mapping[str, str],
    chosen: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Guess each field's column, "" for none; the text always has one.

    `chosen` columns stay if the file has them.

    >>> guess_columns([{"Answer": "It ends in the sea.", "n": 1}], fields=PASSAGE_FIELDS)
    {'text': 'Answer', 'context': '', 'id': ''}
    """
    names = names_of(rows)
    guessed = {
        field: next(_alike(names, rows, known.split(), is_id=field == "id"), "")
        for field, known in fields.items()
    }
    guessed |= {
        field: column
        for field, column in (chosen or {}).items()
        if field in fields and (column in names or not column)
    }
    if not guessed["text"] and names:
        free = [name for name in names if name not in guessed.values()] or names
        guessed["text"] = max(free, key=lambda name: _length(name, rows))
    return {
        field: "" if field != "text" and column == guessed["text"] else column
        for field, column in guessed.items()
    }


def _alike(
    names: Sequence[str], rows: Sequence[Mapping[str, Any]], known: Sequence[str], *, is_id: bool
) -> Iterator[str]:
    inner = {plain_name(name.rpartition(".")[2]): name for name in reversed(names)}
    plain = inner | {plain_name(name): name for name in reversed(names)}
    for name in known:
        # Several answers to one question share the question's id.
        is_sure = not is_id or plain_name(plain.get(name, "")) == "id"
        if name in plain and (is_sure or _is_unique(plain[name], rows)):
            yield plain[name]


def plain_name(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower())) or name.strip()  # "#"


def _is_unique(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    values = ["" if row.get(name) is None else str(row[name]).strip() for row in rows]
    return all(values) and len(set(values)) == len(values)


def _length(name: str, rows: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(row[name]) for row in rows if isinstance(row.get(name), str))
