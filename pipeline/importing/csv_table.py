"""A table with a header: columns text, id, context, and any others; comma, semicolon or tab."""

import csv
from collections.abc import Iterator
from pathlib import Path

from pipeline.importing.fields import make_row
from pipeline.importing.lines import bad_character, read_lines
from pipeline.importing.passages import column_names
from pipeline.importing.rows import PassageRow, RowError, shortened

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
OWN = {"id", "text", "context"}
MAX_CELL_CHARACTERS = 4_000_000
"""A quote that is never closed swallows the file up to here, and no further."""


class _BadLine(Exception):
    """Carries a line's error out through the csv module, which only takes text."""

    def __init__(self, error: RowError) -> None:
        super().__init__(str(error))
        self.error = error


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A passage a row. The column `text` is needed; other columns go to `source`."""
    name = path.name
    lines = _Lines(path)
    try:
        header_line = next(lines)
    except StopIteration:
        yield RowError(file=name, line=0, problem="the file is empty", fix="choose another")
        return
    except _BadLine as bad:
        yield bad.error
        return
    delimiter = _delimiter(header_line)
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    try:
        columns = [
            cell.strip().lower() for cell in next(csv.reader([header_line], delimiter=delimiter))
        ]
        problem = _header_problem(columns)
    except csv.Error:
        columns, problem = [], "the first line is no row of a table"
    if "\r" in header_line.strip():
        problem = "the lines end with a lone carriage return"
    if problem:
        yield RowError(
            file=name,
            line=1,
            value=shortened(header_line.strip()),
            problem=problem,
            fix="write a first line such as id,text,context, and end lines with a line feed",
        )
        return
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        line = lines.number + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except _BadLine as bad:
            yield bad.error
            continue
        except csv.Error as error:
            yield RowError(
                file=name,
                line=line,
                problem=f"from here the table cannot be read: {error}",
                fix="look for a quotation mark that is not closed",
            )
            return
        if any(cells):
            yield _row(dict.fromkeys(columns, "") | dict(zip(columns, cells, strict=False)),
                       file=name, line=line, cells=len(cells), columns=len(columns))  # fmt: skip


class _Lines:
    """The file's lines for the csv module, counting, with the bad ones raised."""

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


def _delimiter(header: str) -> str:
    """The delimiter under which the header has a column `text`, else the most frequent one."""
    for delimiter in DELIMITERS:
        if "text" in column_names(header, delimiter):
            return delimiter
    return max(DELIMITERS, key=header.count)


def _header_problem(columns: list[str]) -> str:
    if "text" not in columns:
        return "the first line names no column text"
    twice = next((name for name in columns if columns.count(name) > 1 and name), "")
    return f"the first line names the column {shortened(twice)} twice" if twice else ""


def _row(
    row: dict[str, str], *, file: str, line: int, cells: int, columns: int
) -> PassageRow | RowError:
    if cells > columns:
        return RowError(
            file=file,
            line=line,
            problem=f"the row has {cells} cells, the first line names {columns}",
            fix="put quotation marks around a text that holds the delimiter",
        )
    for name, value in row.items():
        if name not in OWN and (fault := bad_character(value)):
            return RowError(
                file=file, line=line, field=shortened(name), problem=fault[0], fix=fault[1]
            )
    return make_row(
        file=file,
        line=line,
        external_id=row.get("id", ""),
        text=row["text"],
        context=row.get("context", ""),
        source={key: value for key, value in row.items() if key not in OWN and key},
    )
