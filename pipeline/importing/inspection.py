"""What the first records of a file show: columns, ids, unread texts."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from pipeline.importing.columns import (
    SAMPLE_ROWS,
    column_in,
    flat,
    guess_columns,
    id_columns,
    long_texts,
    names_of,
    plain_name,
    samples_of,
)
from pipeline.importing.file_shape import FileShape
from pipeline.importing.packed_files import PackedFile
from pipeline.importing.records import Records, read_records
from pipeline.importing.rows import Fault, RowError, shortened

MAX_ERRORS = 500
"""Records in error before the sample is complete."""


OUR_NAMES = {"context", "id", "title", "url"}
"""Fields that are read from columns of these names if no other is known."""


def read_sample(records: Records) -> tuple[list[dict[str, Any]], Records]:
    """Return the first valid records, and all records."""
    first: list[Any] = []
    sample: list[dict[str, Any]] = []
    for item in records:
        first.append(item)
        if not isinstance(item, RowError):
            sample.append(item[1])
        if len(sample) >= SAMPLE_ROWS or len(first) >= SAMPLE_ROWS + MAX_ERRORS:
            break
    return sample, chain(first, records)


def with_columns(
    shape: FileShape,
    sample: Iterable[Mapping[str, Any]],
    *,
    file: PackedFile,
    fields: Mapping[str, str],
    chosen: Mapping[str, str] | None,
    read: Iterable[str] | None = None,
) -> FileShape:
    """Add the columns of a sample, and the guess of each field's.

    `read` are the columns that a fixed format reads.
    """
    rows = [flat(record) for record in sample]
    columns, is_sure = guess_columns(rows, fields=fields, chosen=chosen)
    name = columns.get("id", "")
    is_guess = name and plain_name(name) != "id" and not (chosen or {}).get("id")
    if is_guess and not _is_unique(name, read_records(file, shape)):
        columns["id"] = ""
    used = columns.values() if read is None else read
    return replace(
        shape,
        columns=columns,
        is_sure=is_sure,
        names=tuple(names_of(rows)),
        id_columns=tuple(id_columns(rows)),
        unread_texts=tuple(long_texts(rows, except_for=used)) if rows else (),
        long_texts=tuple(long_texts(rows, except_for=())) if rows else (),
        samples=samples_of(rows),
    )


def _is_unique(name: str, records: Records) -> bool:
    seen: set[str] = set()
    for item in records:
        if isinstance(item, RowError):
            continue
        value = str(flat(item[1]).get(name))
        if value in seen:
            return False
        seen.add(value)
    return True


def require_columns(
    shape: FileShape, chosen: Mapping[str, str], *, is_header_known: bool
) -> FileShape:
    """Return the shape with all chosen columns; raises `Fault` if some have to be chosen first.

    Fields without a guess are read from columns of their own names.
    """
    if shape.container == "csv" and not shape.has_header and not is_header_known:
        problem = "the first line seems to be data, and not the names of columns"
        raise Fault(problem, "write a first line such as id,text, or choose that there is none")
    if not shape.names:
        return shape
    there = ", ".join(shortened(name) for name in shape.names[:8])
    missing = {
        field: column
        for field, column in chosen.items()
        if field in shape.columns and column and not column_in(shape.names, column)
    }
    is_table = shape.container in {"csv", "parquet"}
    if missing and is_table:
        name = shortened(next(iter(missing.values())))
        raise Fault(f"there is no column {name} (the columns are {there})", "choose one of these")
    if not shape.is_sure and "text" not in missing:
        problem = f"no column is known to hold the text (the columns are {there})"
        guess = [f"{field}={name}" for field, name in shape.columns.items() if name]
        options = " ".join(f"--map {shlex.quote(each)}" for each in guess or ["text=COLUMN"])
        raise Fault(problem, f"choose it; this is a guess: {options}")
    # A column may be empty, or a key missing, in the sample only.
    defaults = {
        field: column_in(shape.names, field) or ("" if is_table else field)
        for field, column in shape.columns.items()
        if not column and field not in chosen and field in OUR_NAMES
    }
    columns = {**shape.columns, **defaults, **missing}
    if "sources" not in chosen and not columns.get("sources"):
        columns.pop("sources", None)
    return replace(shape, columns=columns)
