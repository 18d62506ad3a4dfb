"""What the first records of a file show: columns, ids, unread texts."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from pipeline.importing.columns import (
    LABELS,
    LONG_TEXT,
    SAMPLE_ROWS,
    column_in,
    flat,
    guess_columns,
    id_columns,
    label_key,
    names_of,
    samples_of,
    texts_in,
)
from pipeline.importing.contexts import decoded
from pipeline.importing.file_shape import Choices, FileShape
from pipeline.importing.lines import Row, rows_of_records
from pipeline.importing.packed_files import PackedFile
from pipeline.importing.records import Records, read_records
from pipeline.importing.rows import Fault, FileNotes, RowError, shortened

MAX_LISTED = 12
"""Columns in a message."""
MAX_ERRORS = 500
"""Records in error before the sample is complete."""


OUR_NAMES = {"context", "id", "title", "url"}
"""Fields that are read from columns of these names if no other is known."""


def read_with_sample(
    file: PackedFile, shape: FileShape
) -> tuple[FileShape, list[dict[str, Any]], Records]:
    """Return the shape with its columns of JSON, the first valid records, and all records."""
    sample, records = _read_sample(read_records(file, shape))
    if written := frozenset(filter(partial(_holds_json, sample), names_of(sample))):
        shape = replace(shape, json_columns=written)
        sample, records = _read_sample(read_records(file, shape))
    return shape, sample, records


def _holds_json(rows: Iterable[Mapping[str, Any]], column: str) -> bool:
    """Return whether all values are texts of objects, or of lists of texts or objects."""
    texts = [row[column] for row in rows if row.get(column) not in (None, "")]
    if not texts or not all(isinstance(text, str) and text[:1] in "[{" for text in texts):
        return False
    values = map(decoded, texts)
    return all(
        isinstance(each, dict)
        or (isinstance(each, list) and all(isinstance(inner, str | dict) for inner in each))
        for each in values
    )


def _read_sample(records: Records) -> tuple[list[dict[str, Any]], Records]:
    first: list[Any] = []
    sample: list[dict[str, Any]] = []
    for item in records:
        first.append(item)
        if not isinstance(item, RowError):
            sample.append(item[1])
        if len(sample) >= SAMPLE_ROWS or len(first) >= SAMPLE_ROWS + MAX_ERRORS:
            break
    return sample, chain(first, records)


def read_rows(
    file: PackedFile,
    choices: Choices,
    notes: FileNotes,
    *,
    inspect: Callable[[PackedFile, Choices], tuple[FileShape, Records]],
    rows_of: Callable[[FileShape], Callable[[int, dict[str, Any]], Iterable[Row | Fault]]],
) -> Iterator[Row | RowError]:
    """Read the rows of a file as `rows_of` reads a record of the inspected shape."""
    try:
        shape, records = inspect(file, choices)
        notes.repeated_id = shape.repeated_id
        notes.guessed_encoding = shape.encoding if shape.encoding_is_guessed else ""
        shape = require_columns(shape, choices)
    except Fault as fault:
        yield fault.at(file.name)
        return
    yield from rows_of_records(_note_late_keys(records, notes), rows_of(shape), name=file.name)


def _note_late_keys(records: Records, notes: FileNotes) -> Records:
    """Note the keys that only later records than the sample's have."""
    known: set[str] = set()
    for number, item in enumerate(records):
        if not isinstance(item, RowError) and not item[1].keys() <= known:
            if number >= SAMPLE_ROWS:
                unread = item[1].keys() - known - OUR_NAMES
                notes.late |= {name: None for name in item[1] if name in unread}
            known |= item[1].keys()
        yield item


def with_columns(
    shape: FileShape,
    sample: Iterable[Mapping[str, Any]],
    *,
    file: PackedFile,
    fields: Mapping[str, str],
    choices: Choices,
    fixed: Mapping[str, str] | None = None,
    read: Iterable[str] | None = None,
) -> FileShape:
    """Add the columns of a sample, and the guess of each field's.

    A fixed format reads the columns `read`, of which it has those of `fixed`. A guessed id or label
    fits all rows.
    """
    rows = [flat(record) for record in sample]
    chosen = choices.get("columns") or {}
    columns, is_sure = guess_columns(rows, fields=fields, chosen=chosen)
    columns |= fixed or {}
    names = names_of(rows)
    sources = tuple(filter(None, (column_in(names, each) for each in choices.get("sources", ()))))
    if len(sources) > 1:
        columns["sources"] = sources[0]
    guessed = {each: columns[each] for each in ("id", "label") if columns.get(each)}
    guessed = {each: name for each, name in guessed.items() if not chosen.get(each)}
    repeated_id = ""
    if guessed and shape.format != "questions":
        for each in _misfits(guessed, read_records(file, shape)):
            repeated_id = guessed["id"] if each == "id" else repeated_id
            columns[each] = ""
    used = [*columns.values(), *sources] if read is None else [*read]
    long = partial(texts_in, rows, length=LONG_TEXT)
    return replace(
        shape,
        columns=columns,
        sources=sources if len(sources) > 1 else (),
        is_sure=is_sure,
        repeated_id=repeated_id,
        names=tuple(names),
        id_columns=tuple(id_columns(rows)),
        unread_texts=tuple(long(except_for=used)),
        long_texts=tuple(long(except_for=())),
        samples=samples_of(rows),
    )


def _misfits(columns: Mapping[str, str], records: Records) -> set[str]:
    """Return which of id and label have a column that does not fit all rows."""
    seen: dict[str, int] = {}
    wrong: set[str] = set()
    for item in records:
        if isinstance(item, RowError):
            continue
        row = flat(item[1])
        if "label" in columns and label_key(row.get(columns["label"])) not in LABELS:
            wrong.add("label")
        if "id" in columns and (name := row.get(columns["id"])) not in (None, ""):
            content = hash(str(row))  # equal rows are one
            if seen.setdefault(str(name), content) != content:
                wrong.add("id")
        if len(wrong) == len(columns):
            break
    return wrong


def require_columns(
    shape: FileShape, choices: Choices, *, needed: str = "text", hint: str = ""
) -> FileShape:
    """Return the shape with all columns; raises `Fault` if some have to be chosen.

    Unless the shape is sure, that is the column of `needed`; `hint` begins the fix. Fields without
    a guess are read from columns of their own names.
    """
    chosen = choices.get("columns") or {}
    if shape.has_header is False and choices.get("has_header") is None:
        problem = "the first line seems to be data, and not the names of columns"
        raise Fault(
            problem,
            "write a first line such as id,text, or choose that the first row is data",
            option=" (--no-header)",
        )
    if not shape.names:
        return shape
    there = ", ".join(shortened(name) for name in shape.names[:MAX_LISTED])
    if more := len(shape.names[MAX_LISTED:]):
        there += f" and {more} more"
    sources = (("sources", column) for column in choices.get("sources", ()))
    missing = {
        field: column
        for field, column in [*sources, *chosen.items()]
        if field in shape.columns and column and not column_in(shape.names, column)
    }
    is_table = shape.container in {"csv", "parquet"}
    if missing and is_table:
        name = shortened(next(iter(missing.values())))
        raise Fault(f"there is no column {name} (the columns are {there})", "choose one of these")
    if not shape.is_sure and shape.format != "questions" and needed not in missing:
        problem = f"no column is known to hold the {needed} (the columns are {there})"
        guess = {needed: "COLUMN"} | {field: name for field, name in shape.columns.items() if name}
        options = " ".join(
            f"--map {shlex.quote(f'{field}={name}')}" for field, name in guess.items()
        )
        raise Fault(problem, f"{hint}choose it", option=f"; this is a guess: {options}")
    # A column may be empty, or a key missing, in the sample only.
    defaults = {
        field: column_in(shape.names, field) or ("" if is_table else field)
        for field, column in shape.columns.items()
        if not column and field not in chosen and field in OUR_NAMES
        if field != "id" or not shape.repeated_id
    }
    columns = {**shape.columns, **defaults, **missing}
    if "sources" not in chosen and not columns.get("sources"):
        columns.pop("sources", None)
    return replace(shape, columns=columns)
