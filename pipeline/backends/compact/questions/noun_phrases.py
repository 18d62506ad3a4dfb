"""The noun phrase that a check-worthy span stands in, and the question words that replace it."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.backends.compact.questions.tagging import Tag, Token
from pipeline.backends.compact.text.spans import Kind
from pipeline.backends.compact.text.words import words_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The question words for one span, and the tokens of the sentence that they stand for."""

    words: str
    start: int
    end: int
    """`tokens[start:end]` gives way to `words`."""
    is_phrase: bool = True
    """Whether the words are a whole noun phrase, which can open the question."""
    where: str = ""
    """ "where" or "when": words for the phrase together with its preposition."""


def follower_of(tokens: Sequence[Token], place: int) -> Token | None:
    """The token after `place`; None at the end."""
    return tokens[place + 1] if place + 1 < len(tokens) else None


def phrase_start(tokens: Sequence[Token], place: int) -> int:
    """Where the noun phrase that ends at or after `place` begins, its determiner included."""
    start = place
    while start and (
        tokens[start - 1].tag in {Tag.WORD, Tag.DETERMINER}
        or tokens[start - 1].lower in ("first", "very", "most", "'s", "’s")
        or (tokens[start - 1].has_kind(Kind.NUMBER) and start - 1)
    ):
        start -= 1
        if tokens[start].tag is Tag.DETERMINER:
            break
    return start


def noun_end(tokens: Sequence[Token], place: int) -> int:
    """Where the run of plain words after `place` ends; a noun phrase's end, mostly."""
    end = place + 1
    while end < len(tokens) and end - place <= 4:
        token = tokens[end]
        counted = token.tag is Tag.PRESENT and tokens[place].has_kind(Kind.NUMBER)
        following = tokens[end + 1].tag if end + 1 < len(tokens) else None
        if (
            not (
                token.tag is Tag.WORD
                or counted
                or (token.tag is Tag.PAST and following is Tag.WORD)
            )
            or not token.text[0].isalpha()
        ):
            break
        # "55 participating teams", but "55 teams taking part".
        acts = token.lower.endswith("ing") and not (end == place + 1 and following is Tag.WORD)
        if token.lower in _ENDS_PHRASE or acts:
            break
        end += 1
    return end


def of_phrase_end(tokens: Sequence[Token], start: int) -> int:
    """Where "of the mills", which may begin at `start`, ends; `start` where there is none."""
    if start + 1 >= len(tokens) or tokens[start].lower != "of":
        return start
    end = start + 1
    if tokens[end].tag is Tag.DETERMINER:
        end += 1
    while end < len(tokens) and tokens[end].tag in {Tag.WORD, Tag.SPAN}:
        if tokens[end].lower in _ENDS_PHRASE:
            break
        end += 1
    return end


_ENDS_PHRASE = words_in(
    """more less old ago later earlier each respectively long tall high wide deep away apart such
    altogether instead either anymore forever abroad overnight today tomorrow yesterday tonight
    alike elsewhere everywhere back home north south east west
    due based total alone worldwide annually daily older younger compared together ahead"""
)
