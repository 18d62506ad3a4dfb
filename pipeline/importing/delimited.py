"""Rows of a table as text, such as CSV."""

import csv
from collections.abc import Iterator

from pipeline.importing.columns import MAX_COLUMNS
from pipeline.importing.file_shape import FileShape
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
    # Not strict, an unclosed quotation mark swallows the rest of the file in silence.
    reader = csv.reader(
        lines,
        delimiter=shape.delimiter,
        strict=True,
        quoting=csv.QUOTE_MINIMAL if shape.has_quotes else csv.QUOTE_NONE,
    )
    names: list[str] = []
    unnamed: list[str] = []
    blank: dict[str, str] = {}
    while True:
        line = lines.number + 1
        try:
            cells = next(reader)
            if not any(cells):
                continue
            if not names:
                given = [cell.strip() for cell in cells] if shape.has_header else [""] * len(cells)
                names = _checked_names(given)
                unnamed = [name for name, cell in zip(names, given, strict=True) if not cell]
                blank = dict.fromkeys(names, "")
                if shape.has_header:
                    continue
            if len(cells) > len(names):
                problem = f"the row has {len(cells)} cells, the first line {len(names)}"
                fix = "put quotation marks around a text that holds the delimiter"
                raise Fault(problem, fix)
            row = blank | dict(zip(names, cells, strict=False))
            if not "".join(cells).isprintable():
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
        except (Fault, csv.Error) as error:
            yield (error if isinstance(error, Fault) else _broken(error)).at(file.name, line)
            if not names or isinstance(error, csv.Error):
                return


def _broken(error: csv.Error) -> Fault:
    problem = "from here the table cannot be read: "
    if "new-line" in str(error):
        return Fault(problem + "a lone carriage return", "end lines with a line feed")
    fix = "close it, and write one that belongs to a quoted text twice"
    return Fault(problem + "a quotation mark is never closed or comes alone", fix)


class _Lines:
    """Counted lines for the csv module, without the preamble; bad ones raise `_BadLine`."""

    def __init__(self, file: PackedFile, shape: FileShape) -> None:
        self._items = read_lines(file.open(), name=file.name, encoding=shape.encoding)
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
