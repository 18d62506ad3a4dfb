"""The words that ask for a check-worthy span, and the tokens that they stand for."""

from collections.abc import Sequence

from pipeline.backends.compact.questions.asking_names import asked_for_name
from pipeline.backends.compact.questions.asking_numbers import asked_for_number, asked_for_year
from pipeline.backends.compact.questions.noun_phrases import (
    Asked,
)
from pipeline.backends.compact.questions.tagging import Token, glued
from pipeline.backends.compact.text.spans import Kind


def asked_for(tokens: Sequence[Token], place: int) -> Asked:
    """How to ask for the span at `tokens[place]`."""
    mention = tokens[place].mention
    if mention is None:
        raise ValueError("Only a span can be asked for.")
    if glued(tokens, place):
        return Asked(words="what", start=place, end=place + 1, is_phrase=False)
    if mention.kind is Kind.YEAR:
        return asked_for_year(mention, tokens, place)
    if mention.kind is Kind.DATE:
        day = mention.date is not None and mention.date.day is not None
        words = "what date" if day else "what month and year"
        start = place - 1 if place and tokens[place - 1].lower == "the" else place
        return Asked(words=words, start=start, end=place + 1)
    if mention.kind is Kind.NUMBER:
        return asked_for_number(mention, tokens, place)
    return asked_for_name(mention, tokens, place)
