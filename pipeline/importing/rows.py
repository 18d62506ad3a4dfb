"""The result of reading a line: a row, or an error with a fix."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as field_of
from typing import Any, TypeVar

from pipeline.importing.passage import Format, PassageSource
from pipeline.rarr.errors import RarrError
from pipeline.rarr.types import Document, Passage

MAX_ERRORS = 10_000
"""Reading of a file stops after this many errors."""
MAX_PASSAGE_CHARACTERS = 200_000
MAX_DOCUMENT_CHARACTERS = 1_000_000
MAX_ID_CHARACTERS = 200
MAX_DOCUMENT_ID_CHARACTERS = 500
MAX_TITLE_CHARACTERS = 1_000
MAX_URL_CHARACTERS = 2_000
MAX_CELL_CHARACTERS = 60
MAX_ROW_CHARACTERS = 200
MAX_ROWS = 500_000
"""Of passages; more must be a mistake, as a run revises each."""
NO_ROWS = ("the file has no rows", "choose another")
CONTENT_ID = "sha-"
"""Begins the ids that come from the content."""


class UnreadableFile(RarrError):
    """An unreadable file or folder, or an unknown format."""


class RowNumber(int):
    """The number of a row, from 1, in a file without a line for each."""


PART = "part"
"""The key of a `PartName`."""


class PartName(str):
    """The name of a record's list, if there are several, or of its file in an archive.

    It is not part of the record's content.
    """


def position(line: int) -> str:
    return f"{'row' if isinstance(line, RowNumber) else 'line'} {line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRow:
    line: int
    """First line of the row, from 1, or a `RowNumber`."""
    external_id: str
    text: str
    context: str
    format: Format
    source: PassageSource
    content_hash: str

    @property
    def passage(self) -> Passage:
        return Passage(id=self.external_id, text=self.text, context=self.context)

    @property
    def displayed(self) -> dict[str, str]:
        return displayed_fields(
            {"id": self.external_id, "text": self.text, "context": self.context}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    line: int
    """First line of the row, from 1; 0 for a file that is one document."""
    document: Document

    @property
    def external_id(self) -> str:
        return self.document.id

    @property
    def content(self) -> dict[str, Any]:
        document = self.document
        return {"title": document.title, "url": document.url, "text": document.text}

    @property
    def displayed(self) -> dict[str, str]:
        return displayed_fields({"id": self.external_id, **self.content})

    @property
    def content_hash(self) -> str:
        """SHA-256 of `content`."""
        return hashlib.sha256("\0".join(self.content.values()).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class RowError:
    """Why a row, or a whole file, was rejected."""

    file: str
    line: int
    """From 1; 0 for the whole file."""
    field: str = ""
    value: str = ""
    """Shortened."""
    problem: str
    fix: str
    row: dict[str, str] = field_of(default_factory=dict)
    """The row's fields, shortened; empty if unknown."""
    option: str = ""
    """What a command adds to the fix: the option to use."""

    def __str__(self) -> str:
        line = position(self.line) if self.line else ""
        field = f"field {self.field}" if self.field else ""
        where = ", ".join(part for part in (self.file, line, field) if part)
        value = f" (found {self.value})" if self.value else ""
        return f"{where}: {self.problem}{value}; {self.fix}."

    @property
    def in_command(self) -> str:
        return f"{str(self).removesuffix('.')}{self.option}."


class Fault(ValueError):
    """A `RowError` without file and line."""

    def __init__(
        self, problem: str, fix: str, *, field: str = "", value: str = "", option: str = ""
    ) -> None:
        super().__init__(problem)
        self.problem, self.fix, self.field, self.value = problem, fix, field, value
        self.option = option
        self.row: dict[str, str] = {}

    def at(self, file: str, line: int = 0) -> RowError:
        return RowError(file=file, line=line, **vars(self))


@dataclass(slots=True)
class FileNotes:
    """What reading a file shows besides rows and errors."""

    equal: int = 0
    """Rows that equal an earlier one."""
    repeated_id: str = ""
    """A column called as an id, of which rows share values."""
    late: dict[str, None] = field_of(default_factory=dict)
    """Keys that the first records lack, and that no field reads."""
    guessed_encoding: str = ""


Row = TypeVar("Row", PassageRow, DocumentRow)


def check_whole_file(
    rows: Iterable[Row | RowError],
    *,
    file: str,
    most_rows: int,
    empty: Fault,
    notes: FileNotes,
) -> Iterator[Row | RowError]:
    """Yield the rows and errors of a file, and the errors of the whole file.

    Equal rows are one; `notes` counts each further one. A row with the id of another
    becomes an error. Reading stops after `most_rows` or `MAX_ERRORS`. A file without rows and
    errors gives `empty`.
    """
    lines_by_id: dict[str, tuple[int, str]] = {}
    errors = 0
    for item in rows:
        if not isinstance(item, RowError):
            key = item.external_id
            if key not in lines_by_id:
                if len(lines_by_id) >= most_rows:
                    problem = f"there are more than {most_rows:,} rows"
                    yield Fault(problem, "split them into several files").at(file, item.line)
                    return
                lines_by_id[key] = item.line, item.content_hash[:16]
                yield item
                continue
            line, content = lines_by_id[key]
            if item.content_hash.startswith(content):
                notes.equal += 1
                continue
            fault = _repeated(item, line)
            fault.row = item.displayed
            item = fault.at(file, item.line)
        yield item
        errors += 1
        if errors >= MAX_ERRORS:
            stopped = f"reading stopped after {MAX_ERRORS:,} errors"
            fix = "check that this is the right file and format"
            yield Fault(stopped, fix).at(file, item.line)
            return
    if not lines_by_id and not errors:
        yield empty.at(file)


def _repeated(row: Row, first: int) -> Fault:
    return Fault(
        f"{position(first)} has the same id" if row.line else "the name comes twice",
        "give each its own id, or choose no column as id",
        field="id",
        value=shortened(row.external_id),
    )


def content_id(content_hash: str) -> str:
    """Return the id of a row without one."""
    return f"{CONTENT_ID}{content_hash[:24]}"


def title_of(external_id: str, *texts: str) -> str:
    """Return the id, or the first words of the first text for a row without an id.

    >>> title_of("p1", "Some text."), title_of("sha-0f", "", "Who drew it?"), title_of("sha-0f")
    ('p1', 'Who drew it?', 'sha-0f')
    """
    text = next(filter(str.strip, texts), "")
    if not text or not external_id.startswith(CONTENT_ID):
        return external_id
    words = " ".join(text[: 2 * MAX_CELL_CHARACTERS].split())
    if len(words) <= MAX_CELL_CHARACTERS:
        return words
    return f"{words[:MAX_CELL_CHARACTERS].rsplit(' ', 1)[0]}…"


def shortened(value: object, *, limit: int = MAX_CELL_CHARACTERS) -> str:
    """Shorten a value to one line without control characters.

    >>> shortened("a" * 100)[-3:]
    'aa…'
    """
    text = value if isinstance(value, str) else repr(value)
    text = text[: limit * 2].encode(errors="replace").decode()
    text = "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text
    )
    return text if len(text) <= limit else text[:limit] + "…"


def displayed_fields(values: Mapping[str, Any]) -> dict[str, str]:
    """Shorten the texts and numbers among a row's values."""
    return {
        name: shortened(value, limit=MAX_ROW_CHARACTERS)
        for name, value in values.items()
        if isinstance(value, str | int)
    }
