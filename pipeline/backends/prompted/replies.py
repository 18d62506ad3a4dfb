"""What the replies of language models have in common, whatever the sub-task.

Chat models think aloud, write labels in bold, and say "Here is …" first; completing models go
on where the prompt ended. Labels are found in all of these; what stands under them is read
strictly by the steps.
"""

import re
from collections.abc import Iterator, Sequence

from pipeline.rarr.errors import UnreadableReply

_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FENCE = re.compile(r"\A```\w*\n(?P<inside>.*)\n```\Z", re.DOTALL)
_MARKS = r"[*_`#>\s]*"
_NEXT_NUMBER = re.compile(r"\n[^\S\n]*\(?\d+[.)]\s*\Z")
_QUOTED = {'"': '"', "“": "”", "«": "»", "„": "“"}


def reply_text(reply: str) -> str:
    """The reply without the thoughts before it, a fence around it, and white space.

    Raises `UnreadableReply` where nothing is left.
    """
    if re.match(r"\s*<think(?:ing)?>", _THOUGHTS.sub("", reply)):
        raise UnreadableReply("The reply ends within its thoughts.")
    text = unwrapped(reply)
    if not text:
        raise UnreadableReply("The reply is empty.")
    return text


def unwrapped(reply: str) -> str:
    """The reply without complete thoughts before it, a fence around it, and white space."""
    text = _THOUGHTS.sub("", reply).strip()
    fenced = _FENCE.match(text)
    return fenced["inside"].strip() if fenced else text


def labelled_text(text: str, labels: Sequence[str], *, until: Sequence[str] = ()) -> str | None:
    """What follows the first of `labels` at the beginning of a line; None where none stands there.

    With `until` it ends before the next line that begins with one of those labels.
    """
    found = next(_labels(text, labels), None)
    if not found:
        return None
    rest = text[found.end() :]
    ending = next(_labels(rest, until), None) if until else None
    return _bare(rest[: ending.start()] if ending else rest)


def required_text(text: str, labels: Sequence[str]) -> str:
    """As `labelled_text`; raises `UnreadableReply` where nothing stands there."""
    found = labelled_text(text, labels)
    if not found:
        raise no_line(labels)
    return found


def no_line(labels: Sequence[str]) -> UnreadableReply:
    """The error about a reply in which no line begins with one of the labels."""
    return UnreadableReply(f'There is no line "{labels[0]}: …" in the reply.')


def count_labels(text: str, labels: Sequence[str]) -> int:
    """How many lines begin with one of the labels."""
    return sum(1 for _ in _labels(text, labels))


def unquoted(text: str, *, like: str) -> str:
    """The text without quotation marks around the whole of it, unless `like` has them too."""
    closing = _QUOTED.get(text[:1])
    if closing and text[-1:] == closing and len(text) > 2 and like.strip()[:1] != text[0]:
        return text[1:-1].strip()
    return text


def without_next_number(text: str) -> str:
    """The text without the "(8)" of a demonstration that the model began and was stopped in."""
    return _NEXT_NUMBER.sub("", text).rstrip()


def _labels(text: str, labels: Sequence[str]) -> Iterator[re.Match[str]]:
    """Each of `labels` at the beginning of a line, with the marks and blank lines before it."""
    names = "|".join(re.escape(label) for label in labels)
    # A stretch of marks is taken whether a label follows it or not, so it is read only once.
    marks = re.compile(rf"(?:\A|\n){_MARKS}+(?:(?P<label>{names}){_MARKS}:)?", re.IGNORECASE)
    return (found for found in marks.finditer(text) if found["label"])


def _bare(text: str) -> str:
    """Without the marks that closed a bold label, and white space around."""
    return re.sub(r"\A\s*(?:\*\*|__)(?=\s|\Z)", "", text).strip()
