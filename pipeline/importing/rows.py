"""What an importer yields for each line of a file: a row, or an error that says how to fix it."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as field_of
from typing import Any, TypeVar

from pipeline.importing.passage import Format, PassageSource
from pipeline.rarr.errors import RarrError
from pipeline.rarr.types import Document, Passage

MAX_PASSAGE_CHARACTERS = 200_000
MAX_DOCUMENT_CHARACTERS = 1_000_000
MAX_ID_CHARACTERS = 200
MAX_DOCUMENT_ID_CHARACTERS = 500
MAX_TITLE_CHARACTERS = 1_000
MAX_URL_CHARACTERS = 2_000
SHOWN_CHARACTERS = 60
SHOWN_ROW_CHARACTERS = 200
PASSAGE_COLUMNS = {"text": "text", "context": "context", "id": "id"}
"""The fields of a passage, and the columns or keys that hold them if nobody says otherwise."""
DOCUMENT_COLUMNS = {"text": "text", "title": "title", "url": "url", "id": "id"}
"""The same for the fields of a document."""


class UnreadableFile(RarrError):
    """A file, folder or format that cannot be read at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRow:
    """One passage of an imported file."""

    line: int
    """Where the row begins in the file, from 1."""
    external_id: str
    text: str
    context: str
    format: Format
    source: PassageSource
    content_hash: str
    """Changes with the content of the row."""

    @property
    def passage(self) -> Passage:
        return Passage(id=self.external_id, text=self.text, context=self.context)

    @property
    def shown(self) -> dict[str, str]:
        """Its fields as an error shows them."""
        return shown_fields({"id": self.external_id, "text": self.text, "context": self.context})


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """One document of an imported corpus."""

    line: int
    """Where the row begins in the file, from 1; 0 if the whole file is the document."""
    document: Document

    @property
    def external_id(self) -> str:
        return self.document.id

    @property
    def content(self) -> dict[str, Any]:
        """Everything but the id."""
        document = self.document
        return {"title": document.title, "url": document.url, "text": document.text}

    @property
    def shown(self) -> dict[str, str]:
        """Its fields as an error shows them."""
        return shown_fields({"id": self.external_id, **self.content})

    @property
    def content_hash(self) -> str:
        """SHA-256 of `content`; it tells whether a row has changed."""
        return hashlib.sha256("\0".join(self.content.values()).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class RowError:
    """Why a row, or a whole file, was rejected. `str()` gives one or two plain sentences."""

    file: str
    line: int
    """From 1; 0 if the error is about the whole file."""
    field: str = ""
    value: str = ""
    """The value found, shortened."""
    problem: str
    fix: str
    row: dict[str, str] = field_of(default_factory=dict)
    """What the row has for each field, shortened; empty if nobody can tell."""

    def __str__(self) -> str:
        line = f"line {self.line}" if self.line else ""
        field = f"field {self.field}" if self.field else ""
        place = ", ".join(part for part in (self.file, line, field) if part)
        found = f" (found {self.value})" if self.value else ""
        return f"{place}: {self.problem}{found}; {self.fix}."


class Fault(ValueError):
    """A `RowError` in the making: raised where the file and the line are not known."""

    def __init__(self, problem: str, fix: str, *, field: str = "", value: str = "") -> None:
        super().__init__(problem)
        self.problem, self.fix, self.field, self.value = problem, fix, field, value
        self.row: dict[str, str] = {}

    def at(self, file: str, line: int = 0) -> RowError:
        return RowError(file=file, line=line, **vars(self))


Row = TypeVar("Row", PassageRow, DocumentRow)


def check_whole_file(
    rows: Iterable[Row | RowError],
    *,
    file: str,
    most_rows: int,
    most_errors: int,
    none: Fault,
    too_many: Fault,
    wrong_kind: str,
    repeated: Callable[[Row, int], Fault],
) -> Iterator[Row | RowError]:
    """The rows and errors of a file, with the errors that only the whole file can show.

    A row whose id an earlier row has becomes the error `repeated(row, line of the earlier row)`.
    Reading stops with `too_many` after `most_rows` rows, and after `most_errors` errors with the
    fix `wrong_kind`. A file without rows and errors gives `none`.
    """
    lines_by_id: dict[str, int] = {}
    errors = 0
    for item in rows:
        if not isinstance(item, RowError):
            key = item.external_id
            if key not in lines_by_id:
                if len(lines_by_id) >= most_rows:
                    yield too_many.at(file, item.line)
                    return
                lines_by_id[key] = item.line
                yield item
                continue
            fault = repeated(item, lines_by_id[key])
            fault.row = item.shown
            item = fault.at(file, item.line)
        yield item
        errors += 1
        if errors >= most_errors:
            stopped = f"reading stopped after {most_errors:,} errors"
            yield Fault(stopped, wrong_kind).at(file, item.line)
            return
    if not lines_by_id and not errors:
        yield none.at(file)


def shortened(value: object, *, limit: int = SHOWN_CHARACTERS) -> str:
    """A value as an error shows it: short, on one line, without control characters.

    >>> shortened("a" * 100)[-3:]
    'aa…'
    """
    text = value if isinstance(value, str) else repr(value)
    text = text[: limit * 2].encode(errors="replace").decode()
    text = "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text
    )
    return text if len(text) <= limit else text[:limit] + "…"


def shown_fields(values: Mapping[str, Any]) -> dict[str, str]:
    """The texts and numbers among a row's values as an error shows them, shortened.

    >>> shown_fields({"id": 7, "text": "One.", "context": None, "source": {}})
    {'id': '7', 'text': 'One.'}
    """
    return {
        name: shortened(value, limit=SHOWN_ROW_CHARACTERS)
        for name, value in values.items()
        if isinstance(value, str | int)
    }
