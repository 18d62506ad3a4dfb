"""Contexts that are dialogs (section 5.1, QReCC)."""

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
    """A speaker's text up to the other's next turn."""

    speaker: Speaker
    text: str


_NAMES = {
    Speaker.USER: ("user", "human", "question", "q"),
    Speaker.SYSTEM: ("system", "assistant", "bot", "ai", "answer", "a"),
}
_SPEAKER_OF = {name: speaker for speaker, names in _NAMES.items() for name in names}
_WORDS = "|".join(name for name in _SPEAKER_OF if len(name) > 1)
_AT_LINE = re.compile(rf"^[ \t]*(?P<name>{_WORDS}|q|a):[ \t]*", re.IGNORECASE | re.MULTILINE)
# Letters only pair with letters: "Question: Which? A: Oslo. B: Bergen." is no dialog.
_IN_LINE = tuple(
    re.compile(rf"(?:^|(?<=[.!?…”\"')] ))(?P<name>{names}):(?:\s+|$)", re.IGNORECASE)
    for names in (_WORDS, "q|a")
)


def parse_dialog(context: str) -> tuple[Turn, ...]:
    """Return a dialog's turns, () unless the context begins with a speaker's name and a colon.

    Consecutive turns of a speaker are joined. The dialog may be on one line, as in the public RARR
    program's contexts.

    >>> [turn.text for turn in parse_dialog("User: Who built it? System: Ada Thorne. User: When?")]
    ['Who built it?', 'Ada Thorne.', 'When?']
    """
    text = context.strip()
    in_line = next((pattern for pattern in _IN_LINE if pattern.match(text)), None)
    if in_line is None:
        return ()
    marks = list((_AT_LINE if "\n" in text else in_line).finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    turns = [
        Turn(speaker=_SPEAKER_OF[mark["name"].lower()], text=text[mark.end() : end].strip())
        for mark, end in zip(marks, ends, strict=True)
    ]
    by_speaker = groupby((turn for turn in turns if turn.text), key=lambda turn: turn.speaker)
    return tuple(
        Turn(speaker=speaker, text="\n".join(turn.text for turn in by_one))
        for speaker, by_one in by_speaker
    )


def as_text(turns: Iterable[Turn]) -> str:
    """Format a dialog, one line per turn.

    >>> as_text(parse_dialog("Q: Who built it?"))
    'User: Who built it?'
    """
    return "\n".join(f"{turn.speaker}: {' '.join(turn.text.split())}" for turn in turns)
