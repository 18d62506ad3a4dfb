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
    """All that a speaker says until the other speaks."""

    speaker: Speaker
    text: str


_NAMES = {
    Speaker.USER: ("user", "human", "question", "q"),
    Speaker.SYSTEM: ("system", "assistant", "bot", "ai", "answer", "a"),
}
_SPEAKER_OF = {name: speaker for speaker, names in _NAMES.items() for name in names}
_WORDS = "|".join(name for name in _SPEAKER_OF if len(name) > 1)
_LETTERS = "|".join(name for name in _SPEAKER_OF if len(name) == 1)
_AT_LINE_START = re.compile(
    rf"^[ \t]*(?P<name>{_WORDS}|{_LETTERS}):[ \t]*", re.IGNORECASE | re.MULTILINE
)
# In a dialog on one line, all names are words or all are letters: in "Question: Which? A: Oslo.
# B: Bergen." no turn begins at "A:".
_AT_SENTENCE_START = tuple(
    re.compile(rf"(?:^|(?<=[.!?…”\"')] ))(?P<name>{names}):(?:\s+|$)", re.IGNORECASE)
    for names in (_WORDS, _LETTERS)
)


def parse_dialog(context: str) -> tuple[Turn, ...]:
    """Return a dialog's turns, () unless the context begins with a speaker's name and a colon.

    The dialog may be on one line, as in the public RARR program's contexts.

    >>> [turn.text for turn in parse_dialog("User: Who built it? System: Ada Thorne. User: When?")]
    ['Who built it?', 'Ada Thorne.', 'When?']
    """
    text = context.strip()
    speaker_label = next((each for each in _AT_SENTENCE_START if each.match(text)), None)
    if speaker_label is None:
        return ()
    labels = list((_AT_LINE_START if "\n" in text else speaker_label).finditer(text))
    ends = [*(label.start() for label in labels[1:]), len(text)]
    turns = [
        Turn(speaker=_SPEAKER_OF[label["name"].lower()], text=text[label.end() : end].strip())
        for label, end in zip(labels, ends, strict=True)
    ]
    by_speaker = groupby((turn for turn in turns if turn.text), key=lambda turn: turn.speaker)
    return tuple(
        Turn(speaker=speaker, text="\n".join(turn.text for turn in consecutive))
        for speaker, consecutive in by_speaker
    )


def with_speakers(context: str, turns: object = None) -> str:
    """Name the speakers of a context of bare lines: the last one is the user's.

    A list of texts `turns` is read if the context is empty. A single line, or a dialog with names,
    is unchanged.

    >>> print(with_speakers("Who built it?\\nAda Thorne.\\nWhen?"))
    User: Who built it?
    System: Ada Thorne.
    User: When?
    """
    lines = context.splitlines()
    if isinstance(turns, list) and not context:
        lines = [turn for turn in turns if isinstance(turn, str)]
    texts = [line for line in lines if line.strip()]
    if len(texts) < 2 or parse_dialog(context):
        return context
    speakers = Speaker.USER, Speaker.SYSTEM
    return format_dialog(
        Turn(speaker=speakers[later % 2], text=text)
        for text, later in zip(texts, reversed(range(len(texts))), strict=True)
    )


def format_dialog(turns: Iterable[Turn]) -> str:
    """Format a dialog, one line per turn.

    >>> format_dialog(parse_dialog("Q: Who built it?"))
    'User: Who built it?'
    """
    return "\n".join(f"{turn.speaker}: {' '.join(turn.text.split())}" for turn in turns)
