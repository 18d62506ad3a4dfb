"""A context as turns of a dialog (section 5.1, QReCC), where it is written as one.

    User: Who built the hall?
    System: Ada Thorne did.
    User: When?

A turn begins with a speaker's name and a colon and goes on until the next one. Every other text
is no dialog: it has no turns, and is used as it stands.
"""

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby


class Speaker(enum.StrEnum):
    USER = "User"
    SYSTEM = "System"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one speaker said before the other one spoke."""

    speaker: Speaker
    text: str


_NAMES = {
    Speaker.USER: ("user", "human", "question", "q"),
    Speaker.SYSTEM: ("system", "assistant", "bot", "ai", "answer", "a"),
}
_SPEAKER_OF = {name: speaker for speaker, names in _NAMES.items() for name in names}
_LONG_NAMES = "|".join(sorted(name for name in _SPEAKER_OF if len(name) > 2))
_OPENING = re.compile(rf"\s*(?P<name>{_LONG_NAMES}|ai|q|a):\s", re.IGNORECASE)
_AT_LINE = re.compile(
    rf"^[ \t]*(?P<name>{_LONG_NAMES}|ai|q|a):[ \t]*", re.IGNORECASE | re.MULTILINE
)
_IN_LINE = re.compile(r"(?:^|(?<=[.!?…”\"')] ))(?P<name>User|System|Human|Assistant|Bot):[ \t]+")


def turns_of(context: str) -> tuple[Turn, ...]:
    """The turns of a dialog in their order; none where the context does not open with a speaker.

    A dialog that was joined into one line (as the public RARR program does with a context) is
    taken apart where a speaker's written-out name follows the end of a sentence.

    >>> [turn.text for turn in turns_of("User: Who built it? System: Ada Thorne. User: When?")]
    ['Who built it?', 'Ada Thorne.', 'When?']
    >>> turns_of("Note: the hall is old.")
    ()
    """
    if not _OPENING.match(f"{context} "):
        return ()
    text = context.strip()
    marks = list((_AT_LINE if "\n" in text else _IN_LINE).finditer(text))
    if not marks:  # one line that opens with a short name: "Q: When?"
        marks = list(_AT_LINE.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    said = [
        Turn(speaker=_SPEAKER_OF[mark["name"].lower()], text=text[mark.end() : end].strip())
        for mark, end in zip(marks, ends, strict=True)
    ]
    return _joined(said)


def as_text(turns: Iterable[Turn]) -> str:
    """The dialog as a context holds it: a line for each turn.

    >>> as_text(turns_of("Q: Who built it?"))
    'User: Who built it?'
    """
    return "\n".join(f"{turn.speaker}: {' '.join(turn.text.split())}" for turn in turns)


def _joined(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Without empty turns; what one speaker says twice in a row is one turn."""
    said = groupby((turn for turn in turns if turn.text), key=lambda turn: turn.speaker)
    return tuple(
        Turn(speaker=speaker, text="\n".join(turn.text for turn in by_one))
        for speaker, by_one in said
    )
