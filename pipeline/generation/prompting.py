"""How a strategy puts questions and passages into a prompt, and reads the answer to it."""

from collections.abc import Sequence

from pipeline.generation.types import Question
from pipeline.rarr.dialog import as_text, turns_of
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Document, Evidence


def asked(question: Question) -> str:
    """The question on one line; of a dialog all turns, a line each.

    >>> asked(Question(id="1", text="When did\\nit open?"))
    'When did it open?'
    """
    if turns := turns_of(question.text):
        return f"(the last turn of this dialog)\n{as_text(turns)}"
    return " ".join(question.text.split())


def numbered(passages: Sequence[Evidence | Document]) -> str:
    """The passages a line each, behind the number that cites them and their title."""
    return (
        "\n".join(numbered_line(number, each) for number, each in enumerate(passages, start=1))
        or "(none)"
    )


def numbered_line(number: int, passage: Evidence | Document) -> str:
    """One passage behind the number that cites it."""
    return f"[{number}] {line(passage)}"


def line(passage: Evidence | Document) -> str:
    """A passage behind its title, on one line: nothing in it reads as a part of the prompt."""
    title = f"({' '.join(passage.title.split())}) " if passage.title.strip() else ""
    return title + " ".join(passage.text.split())


def read_answer(reply: str) -> str:
    """The answer in one paragraph; raises `UnreadableReply` where there is none."""
    text = " ".join(reply.removeprefix("Answer:").split())
    if not text:
        raise UnreadableReply("The answer is empty.", reply=reply)
    return text
