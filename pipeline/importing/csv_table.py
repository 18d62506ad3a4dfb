"""A table with a header, separated by comma, semicolon or tab."""

import csv
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from pipeline.importing.fields import make_row
from pipeline.importing.lines import check_characters, read_lines
from pipeline.importing.rows import PASSAGE_COLUMNS, Fault, PassageRow, RowError, shortened

T = TypeVar("T")

DELIMITERS = ",;\t"
MAX_COLUMNS = 500
MAX_CELL_CHARACTERS = 4_000_000
"""An unclosed quote swallows at most this much of the file."""


class _BadLine(Exception):
    """Carries a `RowError` through the csv module."""


def read(path: Path, columns: Mapping[str, str] | None = None) -> Iterator[PassageRow | RowError]:
    """Read a passage for each row; `columns` maps text (required), context and id."""
    columns = columns or PASSAGE_COLUMNS
    known = [*filter(None, columns.values())]
    return read_table(path, partial(_passage, columns), text=columns["text"], known=known)


def read_table(
    path: Path,
    row_of: Callable[[int, dict[str, str]], T],
    *,
    text: str | None,
    known: Collection[str] = (),
) -> Iterator[T | RowError]:
    """Call `row_of` with the line number and the cells, by column, of each row.

    `text` is the required column, if any. Column names take the case of `known` names.
    """
    lines = _Lines(path)
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    try:
        header = next(lines)
        check_characters(header)
        delimiter = _delimiter(header, text or "text")
        columns = _columns(header, delimiter, text, known)
    except StopIteration:
        yield Fault("the file is empty", "choose another").at(path.name)
        return
    except _BadLine as bad:
        yield bad.args[0]
        return
    except Fault as fault:
        yield fault.at(path.name, 1)
        return
    # Not strict, an unclosed quotation mark swallows the rest of the file in silence.
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = lines.number + 1
        try:
            cells = next(reader)
            if any(cells):
                yield row_of(line, _named(columns, cells))
        except StopIteration:
            return
        except _BadLine as bad:
            yield bad.args[0]
        except Fault as fault:
            yield fault.at(path.name, line)
        except csv.Error as error:
            problem, fix = broken_row(error)
            problem = f"from here the table cannot be read: {problem}"
            yield Fault(problem, fix).at(path.name, line)
            return


def broken_row(error: csv.Error) -> tuple[str, str]:
    """Return problem and fix of a row that csv cannot read."""
    if "new-line" in str(error):
        return "a lone carriage return stands in the row", "end lines with a line feed"
    return (
        "a quotation mark is never closed or comes alone",
        "close it, and write one that belongs to a quoted text twice",
    )


class _Lines:
    """Counted lines for the csv module; bad ones raise `_BadLine`."""

    def __init__(self, path: Path) -> None:
        self._items = read_lines(path)
        self.number = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        item = next(self._items)
        if isinstance(item, RowError):
            self.number = item.line or self.number
            raise _BadLine(item)
        self.number, text = item
        return text


def _delimiter(header: str, text: str) -> str:
    for delimiter in DELIMITERS:
        if text.lower() in column_names(header, delimiter):
            return delimiter
    return max(DELIMITERS, key=header.count)


def column_names(header: str, delimiters: str = DELIMITERS) -> list[str]:
    """Return roughly the lower-case cells of a header."""
    for delimiter in delimiters[1:]:
        header = header.replace(delimiter, delimiters[0])
    return [cell.strip().strip('"').strip().lower() for cell in header.split(delimiters[0])]


def _columns(header: str, delimiter: str, text: str | None, known: Collection[str]) -> list[str]:
    columns: list[str] = []
    try:
        reader = csv.reader([header], delimiter=delimiter, strict=True)
        cells = [cell.strip() for cell in next(reader)]
        in_lower_case = {name.lower(): name for name in known if name not in cells}
        columns = [in_lower_case.get(cell.lower(), cell) for cell in cells]
        twice = [name for name, count in Counter(columns).items() if count > 1 and name]
        if text is not None and text not in columns:
            problem = f"the first line names no column {shortened(text)}"
        elif len(columns) > MAX_COLUMNS:
            problem = f"the first line names {len(columns):,} columns, the limit is {MAX_COLUMNS}"
        elif twice:
            problem = f"the first line names the column {shortened(twice[0])} twice"
        else:
            problem = ""
    except csv.Error as error:
        problem = f"the first line cannot be read: {broken_row(error)[0]}"
    if "\r" in header.strip():
        problem = "the lines end with a lone carriage return"
    if problem:
        fix = "write a first line such as id,text,context, and end lines with a line feed"
        raise Fault(problem, fix, value=shortened(header.strip()))
    return columns


def _named(columns: list[str], cells: list[str]) -> dict[str, str]:
    if len(cells) > len(columns):
        problem = f"the row has {len(cells)} cells, the first line names {len(columns)}"
        raise Fault(problem, "put quotation marks around a text that holds the delimiter")
    return dict.fromkeys(columns, "") | dict(zip(columns, cells, strict=False))


def _passage(columns: Mapping[str, str], line: int, row: dict[str, str]) -> PassageRow:
    values = {field: row.get(column) if column else None for field, column in columns.items()}
    fields = {name: value for name, value in row.items() if name not in columns.values()}
    for name, value in fields.items():
        check_characters(value, field=shortened(name))
    fields.pop("", None)
    return make_row(
        line,
        external_id=values["id"],
        text=values["text"],
        context=values["context"],
        fields=fields,
        format="csv",
        names=(columns["id"], columns["text"], columns["context"]),
    )
