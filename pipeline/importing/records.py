"""Records of a file in any container: objects with their line or row number."""

import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from pipeline.importing.contexts import decoded
from pipeline.importing.delimited import Table, read_table
from pipeline.importing.file_shape import FileShape, shape_of
from pipeline.importing.json_documents import read_json
from pipeline.importing.lines import (
    FIX_ENCODING,
    UTF_8,
    check_characters,
    check_object,
    check_readable,
    parse_object,
)
from pipeline.importing.packed_files import PackedFile, file_at, files_of, is_archive
from pipeline.importing.rows import PART, Fault, PartName, RowError, RowNumber

Record = tuple[int, dict[str, Any]]
Records = Iterator[Record | RowError]

MAX_DOCUMENT_BYTES = 200_000_000
"""Of a JSON document, which is read whole, and of a file in a ZIP archive."""
MAX_BROKEN_LINES = 20
"""Of an object with line breaks inside its texts, after the first."""
DATA_SUFFIXES = {".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet"}
"""If a ZIP archive has such files, its others, such as a README, are not read."""
PACKAGED = ("hagrid", "alce", "rarr", "csv", "parquet")
"""Formats of an exported package, the fullest first."""
PARQUET_ROWS = 500
"""Read at once."""
_PLAIN_TYPES = {str, int, float, bool, type(None)}
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")


@contextmanager
def data_files(path: Path) -> Iterator[list[PackedFile]]:
    """Open the file at `path`, or the data files of a ZIP archive.

    Raises `Fault` and `UnreadableFile`.
    """
    check_readable(path)
    if not is_archive(path):
        yield [file_at(path)]
        return
    with files_of(path) as packed:
        if any(PurePosixPath(each.name).name == "[Content_Types].xml" for each in packed):
            raise Fault("it is an office document", "export it as CSV")
        if not packed:
            raise Fault("the archive has no files", "choose another")
        data = [each for each in packed if PurePosixPath(each.name).suffix.lower() in DATA_SUFFIXES]
        is_package = {"manifest.json", "SHA256SUMS"} <= {each.name for each in packed}
        files = _packaged(data) if is_package else data or packed
        has_parts = len(files) > 1 and not is_package
        yield [
            PackedFile(
                name=each.name, part=each.name if has_parts else "", open=partial(_unpacked, each)
            )
            for each in files
        ]


def _packaged(files: list[PackedFile]) -> list[PackedFile]:
    """Return the files of one format of an exported package; each format holds the same answers."""
    data = [
        each
        for each in files
        if each.name.startswith("data/") and not each.name.endswith(".features.json")
    ]
    by_format = ([each for each in data if form in each.name] for form in PACKAGED)
    return next(filter(None, by_format), data)


def _unpacked(file: PackedFile) -> io.BytesIO:
    content = file.read(MAX_DOCUMENT_BYTES + 1)
    if len(content) > MAX_DOCUMENT_BYTES:
        raise _too_large()
    return io.BytesIO(content)


def read_objects(path: Path, *, is_one_record: bool = False) -> Records:
    """Read each record of a file as `shape_of`; raises `UnreadableFile`."""
    try:
        with data_files(path) as files:
            for file in files:
                yield from read_records(
                    file, shape_of(file, {}, is_json=True, is_one_record=is_one_record)
                )
    except Fault as fault:
        yield fault.at(path.name)


def read_records(file: PackedFile, shape: FileShape) -> Records:
    """Read each record with its line from 1, or its `RowNumber`, or an error.

    RAGChecker's human labels have two answers a record, each of which becomes one.

    Raises `Fault` for an error of the whole file.
    """
    readers: Mapping[str, Callable[[PackedFile, FileShape], Records]] = {
        "jsonl": _read_json_lines,
        "json": _read_document,
        "csv": read_table,
        "parquet": _read_parquet,
        "text": _read_paragraphs,
    }
    for item in readers[shape.container](file, shape):
        if isinstance(item, RowError):
            yield item
            continue
        number, record = item
        if file.part:
            record.setdefault(PART, PartName(file.part))
        try:
            if shape.json_columns:
                names = shape.json_columns & record.keys()
                record = check_object(record | {name: decoded(record[name]) for name in names})
            for each in _compared(record):
                yield number, each
        except Fault as fault:
            yield fault.at(file.name, number)


def _compared(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a record for each answer that RAGChecker's human labels compare, or the record."""
    models = {name: record.get(name) for name in ("model1", "model2")}
    if not all(isinstance(each, dict) and "response" in each for each in models.values()):
        return [record]
    shared = {name: value for name, value in record.items() if name not in models}
    return [{**shared, "compared_as": name, **each} for name, each in models.items() if each]


def _read_json_lines(file: PackedFile, shape: FileShape) -> Records:
    rest = 0
    for item in shape.lines(file):
        if isinstance(item, RowError):
            yield item
            continue
        number, raw = item
        line = raw.strip().removesuffix(",")
        if rest and not line.startswith("{"):
            rest -= 1
            continue
        rest = 0
        try:
            if line:
                yield number, parse_object(line)
        except Fault as fault:
            if "unterminated" in fault.problem and not raw.endswith(shape.newline):
                fault = Fault("the file ends inside a text", "get the whole file again")
            elif "unterminated" in fault.problem:
                # The next lines are the rest of the text.
                rest = MAX_BROKEN_LINES
                fault = Fault("there is a line break inside a text", "write it as \\n")
            yield fault.at(file.name, number)


def _read_document(file: PackedFile, shape: FileShape) -> Records:
    with file.open() as opened:
        raw = opened.read(MAX_DOCUMENT_BYTES + 1)
    if len(raw) > MAX_DOCUMENT_BYTES:
        raise _too_large()
    errors = "surrogateescape" if shape.encoding == UTF_8 else "replace"
    text = raw.decode(shape.encoding, errors).removeprefix("\ufeff")
    del raw
    if "\0" in text:
        raise Fault("the file holds a NUL character", "take it out")
    table = Table(has_header=shape.has_header is not False)
    kind: type | None = None
    for number, value in read_json(text):
        kind = kind or type(value)
        try:
            if kind is type(value) is list:
                if row := table.row(value):
                    yield number, check_object(row)
                continue
            yield number, check_object({"text": value} if kind is type(value) is str else value)
        except Fault as fault:
            if "surrogate" in fault.problem and _ESCAPED_BYTE.search(text):
                fault.problem, fault.fix = "the text holds a byte that is not UTF-8", FIX_ENCODING
            yield fault.at(file.name, number)
            if kind is list and not table.names:
                return


def _too_large() -> Fault:
    problem = f"the file is larger than {MAX_DOCUMENT_BYTES // 1_000_000} MB"
    return Fault(problem, "split it, or write one object a line")


def _read_parquet(file: PackedFile, shape: FileShape) -> Records:
    # pyarrow takes long to import.
    import pyarrow
    from pyarrow import parquet

    number = 0
    try:
        with file.open() as opened, parquet.ParquetFile(opened) as table:
            for batch in table.iter_batches(batch_size=PARQUET_ROWS):
                columns = [
                    (column.cast("string") if column.type == "binary" else column).to_pylist()
                    for column in batch.columns
                ]
                for values in zip(*columns, strict=True):
                    number += 1
                    row = dict(zip(batch.schema.names, values, strict=True))
                    try:
                        yield RowNumber(number), check_object(_as_json(row))
                    except Fault as fault:
                        yield fault.at(file.name, RowNumber(number))
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        reason = str(error).splitlines()[0][:100] if str(error) else type(error).__name__
        raise Fault(f"the Parquet file cannot be read ({reason})", "write it again") from None


def _as_json(row: dict[str, Any]) -> Any:
    if all(type(value) in _PLAIN_TYPES for value in row.values()):
        return row
    return msgspec.to_builtins(row, str_keys=True, enc_hook=str)


def _read_paragraphs(file: PackedFile, shape: FileShape) -> Records:
    """Read each paragraph as a text; without a blank line, each line is a paragraph."""

    def is_blank(item: tuple[int, str] | RowError) -> bool:
        return not (isinstance(item, RowError) or item[1].strip())

    has_paragraphs = any(a and not b for a, b in pairwise(map(is_blank, shape.lines(file))))
    for is_gap, group in groupby(shape.lines(file), is_blank):
        items = [] if is_gap else [*group]
        for some in [items] if has_paragraphs else [[each] for each in items]:
            if errors := [each for each in some if isinstance(each, RowError)]:
                yield from errors
            elif texts := [each for each in some if not isinstance(each, RowError)]:
                text = "".join(line for _, line in texts).strip()
                text = text.replace("\r\n", "\n").replace("\r", "\n")
                try:
                    yield texts[0][0], {"text": check_characters(text)}
                except Fault as fault:
                    yield fault.at(file.name, texts[0][0])
