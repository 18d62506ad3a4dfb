"""Rows of a table as text, such as CSV."""

import csv
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from pipeline.importing.columns import MAX_COLUMNS
from pipeline.importing.file_shape import FileShape
from pipeline.importing.lines import check_characters
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
    # Not strict, an unclosed quotation mark swallows the rest of the file in silence.
    reader = csv.reader(
        lines,
        delimiter=shape.delimiter,
        strict=True,
        quoting=csv.QUOTE_MINIMAL if shape.has_quotes else csv.QUOTE_NONE,
    )
    table = Table(has_header=shape.has_header is not False)
    while True:
        line = lines.number + 1
        try:
            cells = next(reader)
            is_rule = shape.delimiter == "|" and not {*"".join(cells)} - {*" -:"}  # of Markdown
            if any(cells) and not is_rule and (row := table.row(cells)):
                if not "".join(cells).isprintable():
                    for name, value in row.items():
                        check_characters(value, field=name)
                yield line, row
        except StopIteration:
            return
        except _BadLine as bad:
            yield bad.args[0]
        except (Fault, csv.Error) as error:
            yield (error if isinstance(error, Fault) else _broken(error)).at(file.name, line)
            if not table.names or isinstance(error, csv.Error):
                return


class Table:
    """Rows of cells; columns without a name are called by their number."""

    def __init__(self, *, has_header: bool) -> None:
        self.names: list[str] = []
        self._has_header = has_header
        self._unnamed: list[str] = []

    def row(self, cells: Sequence[Any]) -> dict[str, Any]:
        """Return the cells of a row by column; {} for the names. Raises `Fault`."""
        if not self.names:
            given = [str(cell).strip() if self._has_header else "" for cell in cells]
            self.names = _checked_names(given)
            self._unnamed = [name for name, cell in zip(self.names, given, strict=True) if not cell]
            if self._has_header:
                return {}
        if len(cells) > len(self.names):
            problem = f"the row has {len(cells)} cells, the first line {len(self.names)}"
            raise Fault(problem, "put quotation marks around a text that holds the delimiter")
        row = dict(zip_longest(self.names, cells, fillvalue=""))
        for name in self._unnamed:
            if row[name] in ("", None):
                del row[name]
        return row


def _broken(error: csv.Error) -> Fault:
    problem = "from here the table cannot be read: "
    if "new-line" in str(error):
        return Fault(problem + "a lone carriage return", "end lines with a line feed")
    fix = "close it, and write one that belongs to a quoted text twice"
    return Fault(problem + "a quotation mark is never closed or comes alone", fix)


class _Lines:
    """Counted lines for the csv module, without the preamble; bad ones raise `_BadLine`."""

    def __init__(self, file: PackedFile, shape: FileShape) -> None:
        self._items = shape.lines(file)
        self._preamble = shape.preamble
        self.number = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        for item in self._items:
            if isinstance(item, RowError):
                self.number = item.line or self.number
                raise _BadLine(item)
            self.number, text = item
            if not self._preamble:
                return text
            self._preamble -= bool(text.strip())
        raise StopIteration


def _checked_names(given: list[str]) -> list[str]:
    """Return the names of the columns, by number for those without one."""
    fix = "write a first line such as id,text,context"
    if len(given) > MAX_COLUMNS:
        problem = f"the first line has {len(given):,} columns, the limit is {MAX_COLUMNS}"
        raise Fault(problem, fix)
    names: list[str] = []
    for number, name in enumerate(given, start=1):
        if name and name in names:
            raise Fault(f"the first line names the column {shortened(name)} twice", fix)
        names.append(check_characters(name) or f"column {number}")
    return names
