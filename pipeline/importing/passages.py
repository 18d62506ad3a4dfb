"""Passages of a file in any container and format."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from pipeline.importing import alce, contexts, hagrid, questions, rarr_results, table
from pipeline.importing.columns import PASSAGE_FIELDS, bare_question, flat, names_of
from pipeline.importing.file_shape import Choices, FileShape, shape_of
from pipeline.importing.inspection import read_rows, read_with_sample, with_columns
from pipeline.importing.lines import RecordWithNaN, rows_of_records, without_nan
from pipeline.importing.packed_files import PackedFile
from pipeline.importing.passage import Gold
from pipeline.importing.passage_rows import LISTS, hash_of
from pipeline.importing.record_formats import TABLE, common_format
from pipeline.importing.records import Records, data_files, read_objects
from pipeline.importing.rows import (
    MAX_ROWS,
    NO_ROWS,
    Fault,
    FileNotes,
    PassageRow,
    RowError,
    UnreadableFile,
    check_whole_file,
)
from pipeline.rarr.dialog import with_speakers

__all__ = ["FORMATS", "FileShape", "PassageRow", "RowError", "inspect_file", "read_passages"]

RowsOf = Callable[..., Iterable[PassageRow | Fault]]
FORMATS: dict[str, Callable[..., Iterator[PassageRow | Fault]]] = {
    "rarr": rarr_results.rows,
    "jsonl": table.rows,
    "csv": table.rows,
    "hagrid": hagrid.rows,
    "alce": alce.rows,
    "questions": questions.rows,
    "contexts": contexts.rows,
}
TABLES = ("jsonl", "csv")
"""Formats whose columns can be mapped."""
MAPPABLE = (*TABLES, "questions", "contexts")
"""Formats that a chosen mapping replaces, too."""
_JSON_FORMATS = {"rarr", "hagrid", "alce"}
_READ = {
    *contexts.ALL_NAMES,
    *questions.COLUMNS,
    *LISTS,
    *Gold.__struct_fields__,
    *("turns", "sentences", "negative_passages", "id"),
}
"""Names of columns that fixed formats read, found in any case."""
_QUOTES = {*questions.QUOTES, *LISTS}


def inspect_file(path: Path, **chosen: Unpack[Choices]) -> FileShape:
    """Detect how a file of passages is read; raises `Fault` and `UnreadableFile`."""
    with data_files(path) as files:
        return _inspect(files[0], chosen)[0]


def read_passages(
    path: Path, *, notes: FileNotes | None = None, **chosen: Unpack[Choices]
) -> Iterator[PassageRow | RowError]:
    """Stream each passage of the file, or the error of its record.

    `columns` of `chosen` are those of `text`, `context`, `sources`, `id`, `label` and `model`. A
    table that seems to have no header is an error. A row without an id gets one from its content.
    Raises `UnreadableFile` for an unknown format or a file that cannot be opened.
    """
    form = chosen.get("format", "auto")
    if form not in {"auto", *FORMATS}:
        known = ", ".join(["auto", *FORMATS])
        raise UnreadableFile(f"{form!r} is no format of passages: choose one of {known}.")
    notes = notes or FileNotes()
    rows_of = partial(
        _rows_of, ignored=chosen.get("ignored", ()), is_dialog=chosen.get("dialog", False)
    )

    def rows() -> Iterator[PassageRow | RowError]:
        try:
            with data_files(path) as files:
                for file in files:
                    yield from read_rows(file, chosen, notes, inspect=_inspect, rows_of=rows_of)
        except Fault as fault:
            yield fault.at(path.name)

    yield from check_whole_file(
        rows(), file=path.name, most_rows=MAX_ROWS, empty=Fault(*NO_ROWS), notes=notes
    )


def read_questions(path: Path) -> Iterator[PassageRow | RowError]:
    """Read each question as text, with the earlier turns as context.

    A repeated id is an error; a missing one comes from the content. Raises `UnreadableFile`.
    """
    rows = rows_of_records(read_objects(path), questions.questions, name=path.name)
    empty = Fault(*NO_ROWS)
    return check_whole_file(
        rows, file=path.name, most_rows=MAX_ROWS, empty=empty, notes=FileNotes()
    )


def _inspect(file: PackedFile, chosen: Choices) -> tuple[FileShape, Records]:
    """Return the shape and the records."""
    form = chosen.get("format", "auto")
    is_guessed = form == "auto"
    shape = shape_of(file, chosen, is_table=form == "csv", is_json=form in _JSON_FORMATS)
    shape, sample, records = read_with_sample(file, shape)
    rows = [*map(flat, sample)]
    lower = _lower_case(names_of(sample))
    lowered = [{lower.get(name, name): record[name] for name in record} for record in sample]
    if is_guessed:
        form = common_format(lowered, is_document=shape.container == "json")
        has_text = bool((chosen.get("columns") or {}).get("text"))
        if form in {TABLE, ""} or has_text:
            form = "csv" if shape.container == "csv" else "jsonl"
            form = "questions" if not has_text and bare_question(rows) else form
    fixed: dict[str, str] = {}
    if form == "contexts":
        given = {lower.get(name, name): name for name in names_of(sample)}
        names = contexts.names_of(next(filter(contexts.is_row, lowered), {}))
        fixed = {field: given.get(names.get(key, ""), "") for field, key in contexts.FIELDS.items()}
    elif form == "questions":
        quotes = next(filter(_QUOTES.__contains__, names_of(sample)), "")
        fixed = {"text": ""} | ({"sources": quotes} if quotes else {})
    shape = with_columns(
        replace(shape, format=form),
        sample,
        file=file,
        fields=PASSAGE_FIELDS if form in MAPPABLE else {},
        choices=chosen,
        fixed=fixed,
        read=None if form in TABLES else _columns_read(rows, form),
    )
    if form in TABLES:
        return shape, records
    unread = tuple(name for name in shape.unread_texts if name not in shape.columns.values())
    has_texts = any(isinstance(row.get(name), str) for row in rows for name in unread)
    needs_choice = is_guessed and form == "questions" and has_texts
    return replace(shape, is_sure=not needs_choice, unread_texts=unread), records


def _columns_read(rows: Iterable[Mapping[str, Any]], form: str) -> list[str]:
    """Return the columns that a fixed format reads, or that are more than a text."""
    known = _READ | (rarr_results.COLUMNS if form == "rarr" else set())
    return [
        name
        for row in rows
        for name, value in row.items()
        if name.lower() in known or not (isinstance(value, str) or form in MAPPABLE)
    ]


def _rows_of(shape: FileShape, ignored: Collection[str], *, is_dialog: bool) -> RowsOf:
    """Return the reader of a record, which skips `ignored` columns.

    Bare lines of a context are turns if `is_dialog`, or if the record has `turns`.
    """
    read: RowsOf = FORMATS[shape.format]
    if shape.format in TABLES:
        read = partial(read, columns=shape.columns, sources=shape.sources, format=shape.format)
    elif shape.format == "contexts":
        read = partial(read, id_column=shape.columns["id"])
    names = {} if shape.format in TABLES else _lower_case(shape.names)
    usual = {*questions.TEXT_FIELDS, "turns"} & {*shape.names, *names.values()}
    if shape.format == "questions" and not usual:
        names[shape.columns["context"]] = questions.TEXT_FIELDS[0]
    if shape.format == "questions" and (column := shape.columns.get("sources", "")) not in _QUOTES:
        read = partial(read, sources=names.get(column, column) or None)

    def rows(line: int, record: dict[str, Any]) -> Iterator[PassageRow | Fault]:
        given = record
        if ignored or names:
            given = {
                names.get(name, name): {
                    key: each for key, each in value.items() if f"{name}.{key}" not in ignored
                }
                if isinstance(value, dict)
                else value
                for name, value in record.items()
                if name not in ignored
            }
        for row in read(line, given):
            if isinstance(record, RecordWithNaN) and isinstance(row, PassageRow):
                row.source.extra = without_nan(row.source.extra)
            if isinstance(row, PassageRow) and (is_dialog or "turns" in given):
                row = _with_speakers(row, given.get("turns"))
            yield row

    return rows


def _with_speakers(row: PassageRow, turns: object) -> PassageRow:
    context = with_speakers(row.context, turns)
    if context == row.context:
        return row
    row = replace(row, context=context, content_hash=hash_of([row.content_hash, context]))
    if revision := row.source.revision:
        row.source.revision = replace(revision, passage=row.passage)
    return row


def _lower_case(names: Iterable[str]) -> dict[str, str]:
    """Return the names that fixed formats know in lower case."""
    known = {*names}
    return {
        name: name.lower() for name in names if name.lower() not in known and name.lower() in _READ
    }
