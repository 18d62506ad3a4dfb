"""What the replies of language models have in common, whatever the sub-task.

Chat models think aloud, write labels in bold, and say "Here is …" first; completing models go
on where the prompt ended. Labels are found in all of these; what stands under them is read
strictly by the steps.
"""

import re
from collections.abc import Sequence

from pipeline.rarr.types import UnreadableReply

_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FENCE = re.compile(r"\A```\w*\n(?P<inside>.*)\n```\Z", re.DOTALL)
_MARKS = r"[*_`#>\s]*"
_NEXT_NUMBER = re.compile(r"\n\s*\(?\d+[.)]\s*\Z")
_QUOTED = {'"': '"', "“": "”", "«": "»", "„": "“"}


def said(reply: str) -> str:
    """The reply without the thoughts before it, a fence around it, and white space.

    Raises `UnreadableReply` where nothing is left.
    """
    text = _THOUGHTS.sub("", reply).strip()
    if re.match(r"<think(?:ing)?>", text):
        raise UnreadableReply("The reply ends within its thoughts.")
    if fenced := _FENCE.match(text):
        text = fenced["inside"].strip()
    if not text:
        raise UnreadableReply("The reply is empty.")
    return text


def under(text: str, labels: Sequence[str], *, until: Sequence[str] = ()) -> str | None:
    """What follows the first of `labels` at the beginning of a line; None where none stands there.

    With `until` it ends before the next line that begins with one of those labels.
    """
    found = _label(labels).search(text)
    if not found:
        return None
    rest = text[found.end() :]
    ending = _label(until).search(rest) if until else None
    return _bare(rest[: ending.start()] if ending else rest)


def count(text: str, labels: Sequence[str]) -> int:
    """How many lines begin with one of the labels."""
    return len(_label(labels).findall(text))


def unquoted(text: str, *, like: str) -> str:
    """The text without quotation marks around the whole of it, unless `like` has them too."""
    closing = _QUOTED.get(text[:1])
    if closing and text[-1:] == closing and len(text) > 2 and like.strip()[:1] != text[0]:
        return text[1:-1].strip()
    return text


def without_next_number(text: str) -> str:
    """The text without the "(8)" of a demonstration that the model began and was stopped in."""
    return _NEXT_NUMBER.sub("", text).rstrip()


def _label(labels: Sequence[str]) -> re.Pattern[str]:
    names = "|".join(re.escape(label) for label in labels)
    return re.compile(rf"^{_MARKS}(?:{names}){_MARKS}:", re.IGNORECASE | re.MULTILINE)


def _bare(text: str) -> str:
    """Without the marks that closed a bold label, and white space around."""
    return re.sub(r"\A\s*(?:\*\*|__)(?=\s|\Z)", "", text).strip()
