"""Rows of a table as text, such as CSV."""

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from pipeline.importing.columns import MAX_COLUMNS
from pipeline.importing.file_shape import SEPARATOR_LINE, FileShape
from pipeline.importing.lines import check_characters, read_lines
from pipeline.importing.packed_files import PackedFile
from pipeline.importing.rows import Fault, RowError, shortened

MAX_CELL_CHARACTERS = 4_000_000
"""An unclosed quote swallows at most this much of the file."""


class _BadLine(Exception):
    """Carries a `RowError` through the csv module."""


def read_table(
    file: PackedFile, shape: FileShape
) -> Iterator[tuple[int, dict[str, str]] | RowError]:
    """Yield the cells of each row by column, with the row's first line.

    Columns without a name are called by their number. Raises `Fault` for the whole file.
    """
    lines = _Lines(file, shape)
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    try:
        lines.skip_separator_line()
        columns = _columns(lines, shape)
    except StopIteration:
        return
    except _BadLine as bad:
        yield bad.args[0]
        return
    except Fault as fault:
        yield fault.at(file.name, lines.header)
        return
    names = [name or f"column {number}" for number, name in enumerate(columns, start=1)]
    unnamed = [name for name, given in zip(names, columns, strict=True) if not given]
    blank = dict.fromkeys(names, "")
    reader = _reader(lines, shape)
    while True:
        line = lines.number + 1
        try:
            cells = next(reader)
            if any(cells):
                if len(cells) > len(names):
                    problem = f"the row has {len(cells)} cells, the first line {len(names)}"
                    fix = "put quotation marks around a text that holds the delimiter"
                    raise Fault(problem, fix)
                row = blank | dict(zip(names, cells, strict=False))
                for name, value in row.items():
                    check_characters(value, field=name)
                for name in unnamed:
                    if not row[name]:
                        del row[name]
                yield line, row
        except StopIteration:
            return
        except _BadLine as bad:
            yield bad.args[0]
        except Fault as fault:
            yield fault.at(file.name, line)
        except csv.Error as error:
            problem, fix = _broken_row(error)
            problem = f"from here the table cannot be read: {problem}"
            yield Fault(problem, fix).at(file.name, line)
            return


def _broken_row(error: csv.Error) -> tuple[str, str]:
    if "new-line" in str(error):
        return "a lone carriage return stands in the row", "end lines with a line feed"
    return (
        "a quotation mark is never closed or comes alone",
        "close it, and write one that belongs to a quoted text twice",
    )


class _Lines:
    """Counted lines for the csv module; bad ones raise `_BadLine`."""

    def __init__(self, file: PackedFile, shape: FileShape) -> None:
        self._items = read_lines(file.open(), name=file.name, encoding=shape.encoding)
        self.number = 0
        self.header = 1

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        item = next(self._items)
        if isinstance(item, RowError):
            self.number = item.line or self.number
            raise _BadLine(item)
        self.number, text = item
        return text

    def again(self, *lines: str) -> None:
        """Yield these lines, which were the last ones, once more."""
        first = self.number - len(lines) + 1
        self._items = chain(enumerate(lines, start=first), self._items)
        self.number = first - 1

    def skip_separator_line(self) -> None:
        first = next(self)
        if not SEPARATOR_LINE.fullmatch(first):
            self.again(first)


def _reader(lines: _Lines, shape: FileShape) -> Iterator[list[str]]:
    # Not strict, an unclosed quotation mark swallows the rest of the file in silence.
    if shape.has_quotes:
        return csv.reader(lines, delimiter=shape.delimiter, strict=True)
    return csv.reader(lines, delimiter=shape.delimiter, strict=True, quoting=csv.QUOTE_NONE)


def _columns(lines: _Lines, shape: FileShape) -> list[str]:
    """Return the names in the header, "" for each column of a table without one."""
    header = next(lines)
    while not header.strip():
        header = next(lines)
    lines.header = lines.number
    check_characters(header)
    try:
        if shape.has_header:
            lines.again(header)
            columns = [cell.strip() for cell in next(_reader(lines, shape))]
        else:
            columns = [""] * len(next(csv.reader([header], delimiter=shape.delimiter)))
            lines.again(header)
        twice = [name for name, count in Counter(columns).items() if count > 1 and name]
        if len(columns) > MAX_COLUMNS:
            problem = f"the first line has {len(columns):,} columns, the limit is {MAX_COLUMNS}"
        elif twice:
            problem = f"the first line names the column {shortened(twice[0])} twice"
        else:
            problem = ""
    except csv.Error as error:
        problem = f"the first line cannot be read: {_broken_row(error)[0]}"
    if "\r" in header.strip():
        problem = "the lines end with a lone carriage return"
    if problem:
        fix = "write a first line such as id,text,context, and end lines with a line feed"
        raise Fault(problem, fix, value=shortened(header.strip()))
    return columns
