"""The last steps to a question: words put in their place, capitals, the mark at its end."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pipeline.backends.compact.questions.noun_phrases import Asked
from pipeline.backends.compact.questions.statements import (
    Statement,
)
from pipeline.backends.compact.questions.tagging import Tag, Token, joined

LONGEST_LEAD = 9
"""Tokens of an opening phrase that a question keeps, at its end."""


def put(tokens: Sequence[Token], asked: Asked) -> list[Token]:
    """The tokens with the question words where the span stood."""
    first = tokens[asked.start]
    words_ = replace(first, text=asked.words, tag=Tag.WORD, mention=None, base="")
    return [*tokens[: asked.start], words_, *tokens[asked.end :]]


def subject_of(statement: Statement) -> str:
    """The subject as it stands in the middle of a question."""
    text = joined(statement.subject)
    return small(text, statement.subject[0])


def with_lead(question: str, statement: Statement, after: Sequence[Token]) -> str:
    """The question with its sentence's opening phrase: at its end, if it is clear there."""
    lead = statement.lead
    if not lead or len(lead) > LONGEST_LEAD or lead[0].tag is Tag.ADVERB:
        return question
    if len(after) > LONGEST_LEAD or any(t.text == "," for t in (*after, *lead)):
        return f"{joined(lead)}, {question}"
    return f"{question} {small(joined(lead), lead[0])}"


def small(text: str, first: Token | None = None) -> str:
    """A first word without the capital that its place gave it."""
    word = text.split(" ", 1)[0]
    if first is not None and first.tag is Tag.SPAN:
        return text
    if word == "I" or word.startswith("I'") or (len(word) > 1 and word[1:] != word[1:].lower()):
        return text
    return text[:1].lower() + text[1:]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def finished(text: str) -> str:
    """The question with its capital, its mark, and no space before a mark."""
    # "… at sea.3" ends with the number of the list's next entry.
    text = re.sub(r"(?<=[a-z])\.\d{1,2}\s*$", "", text)
    text = re.sub(r" ([,;:.])", r"\1", re.sub(r"\s+", " ", text)).strip()
    return _capital(text.rstrip(" .!?;:,–—-")) + "?"
