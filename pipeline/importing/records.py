"""Records of a file in any container: objects with their line or row number."""

import datetime
import decimal
import io
import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from pipeline.importing.delimited import read_table
from pipeline.importing.file_shape import FileShape, shape_of
from pipeline.importing.json_documents import read_json
from pipeline.importing.lines import (
    UTF_8,
    check_characters,
    check_object,
    check_readable,
    parse_object,
    read_lines,
)
from pipeline.importing.packed_files import PackedFile, file_at, files_of, is_archive
from pipeline.importing.rows import Fault, RowError, RowNumber

Record = tuple[int, dict[str, Any]]
Records = Iterator[Record | RowError]

MAX_DOCUMENT_BYTES = 200_000_000
"""Of a JSON document, which is read whole, and of a file in a ZIP archive."""
MAX_BROKEN_LINES = 20
MAX_BROKEN_CHARACTERS = 1_000_000
"""Lines and characters of an object with line breaks inside its texts."""
DATA_SUFFIXES = {".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet"}
"""If a ZIP archive has such files, its others, such as a README, are not read."""
PARQUET_ROWS = 500
"""Read at once."""
_LENIENT = json.JSONDecoder(strict=False)


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
        yield [PackedFile(name=each.name, open=partial(_unpacked, each)) for each in data or packed]


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
                    file, shape_of(file, is_json=True, is_one_record=is_one_record)
                )
    except Fault as fault:
        yield fault.at(path.name)


def read_records(file: PackedFile, shape: FileShape) -> Records:
    """Read each record with its line from 1, or its `RowNumber`, or an error.

    Raises `Fault` for an error of the whole file.
    """
    readers: Mapping[str, Callable[[PackedFile, FileShape], Records]] = {
        "jsonl": _read_json_lines,
        "json": _read_document,
        "csv": read_table,
        "parquet": _read_parquet,
        "text": _read_paragraphs,
    }
    yield from readers[shape.container](file, shape)


def _read_json_lines(file: PackedFile, shape: FileShape) -> Records:
    lines = read_lines(file.open(), name=file.name, encoding=shape.encoding)
    waiting: deque[tuple[int, str] | RowError] = deque()
    while item := waiting.popleft() if waiting else next(lines, None):
        if isinstance(item, RowError):
            yield item
            continue
        number, line = item
        if not line.strip():
            continue
        try:
            yield number, parse_object(line)
        except Fault as fault:
            is_open = "unterminated" in fault.problem or "control char" in fault.problem
            if is_open and _goes_on(line, waiting, lines):
                fault = Fault("there is a line break inside a text", "write it as \\n")
            yield fault.at(file.name, number)


def _goes_on(
    line: str,
    waiting: deque[tuple[int, str] | RowError],
    lines: Iterator[tuple[int, str] | RowError],
) -> bool:
    """Return whether the next lines complete the object, and skip them if so."""
    text = line
    for position in range(MAX_BROKEN_LINES):
        if position >= len(waiting):
            if not (item := next(lines, None)):
                return False
            waiting.append(item)
        following = waiting[position]
        if isinstance(following, RowError) or following[1].lstrip().startswith("{"):
            return False
        text += following[1]
        if len(text) > MAX_BROKEN_CHARACTERS:
            return False
        if following[1].rstrip().endswith("}"):
            try:
                _LENIENT.decode(text.strip())
            except (ValueError, RecursionError):
                continue
            for _ in range(position + 1):
                waiting.popleft()
            return True
    return False


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
    for number, value in read_json(text):
        try:
            yield number, check_object(value)
        except Fault as fault:
            yield fault.at(file.name, number)


def _too_large() -> Fault:
    problem = f"the file is larger than {MAX_DOCUMENT_BYTES // 1_000_000} MB"
    return Fault(problem, "split it, or write one object a line")


def _read_parquet(file: PackedFile, shape: FileShape) -> Records:
    # pyarrow takes half a second to import.
    import pyarrow
    from pyarrow import parquet

    try:
        with file.open() as opened, parquet.ParquetFile(opened) as table:
            number = 0
            for batch in table.iter_batches(batch_size=PARQUET_ROWS):
                for row in batch.to_pylist():
                    number += 1
                    try:
                        yield RowNumber(number), check_object(_plain(row))
                    except Fault as fault:
                        yield fault.at(file.name, RowNumber(number))
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        reason = str(error).splitlines()[0][:100] if str(error) else type(error).__name__
        raise Fault(f"the Parquet file cannot be read ({reason})", "write it again") from None


def _plain(value: Any) -> Any:
    """Convert the values of a Parquet file to those of JSON."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case dict():
            return {str(key): _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
        case decimal.Decimal():
            return float(value)
        case bytes():
            return value.decode(errors="replace").replace("\0", "\ufffd")
    return str(value)


def _read_paragraphs(file: PackedFile, shape: FileShape) -> Records:
    """Read each paragraph as a text; without a blank line, each line is a paragraph."""
    blank = [not text.strip() for text in _texts(file, shape)]
    while blank and blank[-1]:
        blank.pop()
    paragraph: list[tuple[int, str]] = []
    is_readable = True
    for item in chain(read_lines(file.open(), name=file.name, encoding=shape.encoding), [None]):
        if isinstance(item, RowError):
            is_readable = False
            yield item
            continue
        if item and item[1].strip():
            paragraph.append(item)
            if any(blank):
                continue
        if paragraph and is_readable:
            text = "".join(line for _, line in paragraph).strip()
            try:
                yield paragraph[0][0], {"text": check_characters(text.replace("\r\n", "\n"))}
            except Fault as fault:
                yield fault.at(file.name, paragraph[0][0])
        paragraph, is_readable = [], True


def _texts(file: PackedFile, shape: FileShape) -> Iterator[str]:
    lines = read_lines(file.open(), name=file.name, encoding=shape.encoding)
    return ("-" if isinstance(item, RowError) else item[1] for item in lines)
