"""A question and its answer as an example for the instructions, in Markdown."""

import re

from annotation.guidelines.inbox import Talk
from annotation.models import Item, Thread

TITLE_LENGTH = 80
PASSAGE_LENGTH = 600

_SIGNS = re.compile(r"([\\`*_\[\]<>#|~&])")
# What makes a list, a rule or a heading of a line.
_STARTS = re.compile(r"^[^\S\n]*(\d*)([-+=.)])", re.MULTILINE)
_INDENT = re.compile(r"^[^\S\n]+", re.MULTILINE)


def plain(text: str) -> str:
    r"""`text` as Markdown that shows it as it is.

    >>> plain("*Who* is <b>she</b>?")
    '\\*Who\\* is \\<b\\>she\\</b\\>?'
    """
    return _STARTS.sub(r"\1\\\2", _INDENT.sub("", _SIGNS.sub(r"\\\1", text)))


def example_of(talk: Talk) -> str:
    """The thread as a worked example: what it was about, what was asked, what was answered.

    Only the first question and what researchers wrote: what raters added names nobody, but it
    may have been meant for one reader.
    """
    thread = talk.thread
    asked = talk.messages[0].text if talk.messages else ""
    answers = [message.text for message in talk.messages if not message.is_askers]
    parts = [("Context:", _clipped(thread.item.context))]
    parts.append(("Sentence:", talk.sentence) if talk.sentence else _passages(thread.item))
    parts.append(("Question:", asked))
    parts += [("**Answer.**", answer) for answer in answers] or [("**Answer.**", "…")]
    quoted = [_quoted(f"{label} {plain(text)}") for label, text in parts if text]
    return f"### Example: {_title(asked)}\n\n" + "\n>\n".join(quoted) + "\n"


def note_of(thread: Thread) -> str:
    """What raters are told has changed, until the researcher says it better."""
    return f"A new example, from a question about item {thread.item.position}."


def _passages(item: Item) -> tuple[str, str]:
    if item.second_text:
        return "Passages:", f"A: {_clipped(item.text)}\n\nB: {_clipped(item.second_text)}"
    return "Passage:", _clipped(item.text)


def _clipped(text: str) -> str:
    if len(text) <= PASSAGE_LENGTH:
        return text
    return text[:PASSAGE_LENGTH].rsplit(" ", 1)[0] + " …"


def _title(text: str) -> str:
    line = " ".join(text.split())
    if len(line) > TITLE_LENGTH:
        line = line[:TITLE_LENGTH].rsplit(" ", 1)[0] + " …"
    return plain(line)


def _quoted(text: str) -> str:
    """Every line of it inside of a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
