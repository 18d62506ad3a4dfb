"""What an importer yields for each line of a file: a row, or an error that says the fix."""

from dataclasses import dataclass, field
from typing import Any

from pipeline.rarr.types import Document, RarrError

MAX_PASSAGE_CHARACTERS = 200_000
MAX_DOCUMENT_CHARACTERS = 1_000_000
MAX_ID_CHARACTERS = 200
MAX_DOCUMENT_ID_CHARACTERS = 500
MAX_TITLE_CHARACTERS = 1_000
MAX_URL_CHARACTERS = 2_000
SHOWN_CHARACTERS = 60


class UnreadableFile(RarrError):
    """A file, a folder or a format that cannot be read at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRow:
    """One passage of an imported file."""

    line: int
    """Where the row begins in the file, from 1."""
    external_id: str
    text: str
    context: str = ""
    source: dict[str, Any] = field(default_factory=dict)
    """The rest of the row, to be carried through untouched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """One document of an imported corpus."""

    line: int
    """Where the row begins in the file, from 1; 0 where the whole file is the document."""
    document: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class RowError:
    """Why a row, or a whole file, was not taken. `str()` is one plain sentence or two."""

    file: str
    line: int
    """From 1; 0 when the error is about the whole file."""
    field: str = ""
    value: str = ""
    """What stands there, shortened."""
    problem: str
    fix: str

    def __str__(self) -> str:
        place = ", ".join(
            part
            for part in (
                self.file,
                f"line {self.line}" if self.line else "",
                f"field {self.field}" if self.field else "",
            )
            if part
        )
        found = f" (found {self.value})" if self.value else ""
        return f"{place}: {self.problem}{found}; {self.fix}."


def shortened(value: object) -> str:
    """A value as an error shows it: on one line, without control characters, not long.

    >>> shortened("a" * 100)[-3:]
    'aa…'
    """
    text = value if isinstance(value, str) else repr(value)
    text = text[: SHOWN_CHARACTERS * 2].encode(errors="replace").decode()
    text = "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text
    )
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
