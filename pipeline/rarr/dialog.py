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
_WORDS = "|".join(name for name in _SPEAKER_OF if len(name) > 1)
_AT_LINE = re.compile(rf"^[ \t]*(?P<name>{_WORDS}|q|a):[ \t]*", re.IGNORECASE | re.MULTILINE)
# The letters only with each other: in "Question: Which? A: Oslo. B: Bergen." nobody answers.
_IN_LINE = tuple(
    re.compile(rf"(?:^|(?<=[.!?…”\"')] ))(?P<name>{names}):(?:\s+|$)", re.IGNORECASE)
    for names in (_WORDS, "q|a")
)


def turns_of(context: str) -> tuple[Turn, ...]:
    """The turns of a dialog in their order; none where the context does not open with a speaker.

    Empty turns are dropped; what one speaker says twice in a row is one turn.
    A dialog that was joined into one line (as the public RARR program does with a context) is
    taken apart where a speaker's name follows the end of a sentence.

    >>> [turn.text for turn in turns_of("User: Who built it? System: Ada Thorne. User: When?")]
    ['Who built it?', 'Ada Thorne.', 'When?']
    >>> turns_of("Note: the hall is old.")
    ()
    """
    text = context.strip()
    in_line = next((pattern for pattern in _IN_LINE if pattern.match(text)), None)
    if in_line is None:
        return ()
    marks = list((_AT_LINE if "\n" in text else in_line).finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    said = [
        Turn(speaker=_SPEAKER_OF[mark["name"].lower()], text=text[mark.end() : end].strip())
        for mark, end in zip(marks, ends, strict=True)
    ]
    by_speaker = groupby((turn for turn in said if turn.text), key=lambda turn: turn.speaker)
    return tuple(
        Turn(speaker=speaker, text="\n".join(turn.text for turn in by_one))
        for speaker, by_one in by_speaker
    )


def as_text(turns: Iterable[Turn]) -> str:
    """The dialog as a context holds it: a line for each turn.

    >>> as_text(turns_of("Q: Who built it?"))
    'User: Who built it?'
    """
    return "\n".join(f"{turn.speaker}: {' '.join(turn.text.split())}" for turn in turns)
