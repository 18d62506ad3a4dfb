"""Formatting of questions and passages for prompts, and parsing of answers."""

import re
from collections.abc import Sequence

from pipeline.generation.types import Question
from pipeline.rarr.dialog import format_dialog, parse_dialog
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Document, Evidence
from pipeline.replies.cleaning import reply_text
from pipeline.replies.labels import labelled_parts, only_value
from pipeline.replies.markup import plain_answer
from pipeline.replies.remarks import refuse_apology

_ANSWER = r"(?:(?:final|short|long|detailed|cited|revised) )?(?:answer|response)"
_REMARK = r"notes?|disclaimer|explanations?|reasoning|confidence(?: score| level)?|comments?"
_REFERENCE = re.compile(
    r"[\W_]{0,6}(?:references?|sources?(?: used)?|citations?|bibliography|literature|works cited)\b"
    r"|[ *•-]{0,6}\[\d{1,3}\]:?[ \t]+\S",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]+")
_NAMES_PASSAGES = re.compile(
    r"\b(?:passages?|documents?|sources?|quotes?|information|evidence|context)\b", re.IGNORECASE
)
"""In an answer that, as instructed, states that the passages do not answer."""


def format_question(question: Question) -> str:
    """Format a question on one line, a dialog with a line per turn.

    >>> format_question(Question(id="1", text="When did\\nit open?"))
    'When did it open?'
    """
    if turns := parse_dialog(question.text):
        return f"(the last turn of this dialog)\n{format_dialog(turns)}"
    return " ".join(question.text.split())


def numbered(passages: Sequence[Evidence | Document]) -> str:
    """Format passages with numbers and titles, one per line."""
    return (
        "\n".join(numbered_line(number, each) for number, each in enumerate(passages, start=1))
        or "(none)"
    )


def numbered_line(number: int, passage: Evidence | Document) -> str:
    return f"[{number}] {line(passage)}"


def line(passage: Evidence | Document) -> str:
    """Format a passage with its title on one line, so that it cannot imitate the prompt."""
    title = f"({' '.join(passage.title.split())}) " if passage.title.strip() else ""
    return title + " ".join(passage.text.split())


def read_answer(reply: str) -> str:
    """Return the answer as one paragraph, without a list of references.

    Raises `UnreadableReply` for an empty reply or a refusal.
    """
    text = reply_text(reply)
    parts = labelled_parts(text, {}, {"answer": _ANSWER, "remark": _REMARK})
    answers = [part for name, part in parts if name == "answer" and part]
    lines = plain_answer(only_value(answers, "Answer") if answers else parts[0][1]).split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or _REFERENCE.match(lines[-1])):
        del lines[-1]
    if len(lines) > 1 and all(_ITEM.match(line) for line in lines if line.strip()):
        lines = [_ITEM.sub("", line) for line in lines]
    answer = " ".join(" ".join(lines).split())
    if not answer:
        raise UnreadableReply("The answer is empty.", reply=reply)
    if not _NAMES_PASSAGES.search(answer[:200]):
        refuse_apology(answer)
    return answer
