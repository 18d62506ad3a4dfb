"""The words of a sentence with rough parts of speech, each check-worthy span as one token.

There is no tagger in a blank pipeline. What these tags are for, turning a statement into a
question, needs little: where a finite verb may stand, and what begins and ends a phrase.
"""

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.backends.compact.questions.verbs import (
    AUXILIARIES,
    base_of_past,
    base_of_third_person,
    is_participle,
)
from pipeline.backends.compact.text.spans import Kind, Mention
from pipeline.backends.compact.text.words import words_in

_TOKEN = re.compile(r"['’]s\b|(?:[A-Za-z]\.){2,}|\w+(?:[-'’]\w+|\.(?=[a-z0-9])\w+)*|[^\w\s]")
POSSESSIVES = words_in("his her its their our my your")
DETERMINERS = POSSESSIVES | words_in(
    "the a an this that these those some any each every no all both many most several few another"
)
PREPOSITIONS = words_in(
    """about above across after against along alongside amid among around as at before behind below
    beneath beside besides between beyond by despite down during except for from in inside into like
    near of off on onto outside over past per since through throughout to toward towards under
    underneath until upon via with within without than"""
)
SUBORDINATORS = words_in(
    """that which who whom whose where when while whereas although though because if unless whether
    so why how what"""
)
PRONOUNS = words_in("he she it they we you i him them us me there himself herself itself")
CONJUNCTIONS = words_in("and or but nor yet")
_ADVERBS = words_in(
    """also then later still now never often always soon again once just even not only already
    ever sometimes perhaps thus therefore almost rather quite very too first"""
)
# A plural that reads like a verb is far more common than these read like plurals.
_SURE_THIRD_PERSON = words_in(
    """contains includes becomes remains stands lies tells follows features serves means makes takes
    provides uses requires allows helps causes refers consists covers lives works offers produces
    gives goes comes lasts occurs begins ends says shows claims says consumes involves represents
    describes explains tends seems appears depends happens increases decreases reduces belongs
    comprises encompasses exists focuses grows keeps leads plays runs stars wins wants needs rises
    measures weighs reaches flows forms aims differs gets holds enables suggests supports
    prevents"""
)


class Tag(enum.StrEnum):
    """What a token may be in its sentence."""

    SPAN = "span"
    DETERMINER = "determiner"
    PREPOSITION = "preposition"
    SUBORDINATOR = "subordinator"
    PRONOUN = "pronoun"
    CONJUNCTION = "conjunction"
    AUXILIARY = "auxiliary"
    PAST = "past"
    """A past form, which may be a participle."""
    PRESENT = "present"
    BASE = "base"
    """The base form after a helper verb: "write" of "did write"."""
    ADVERB = "adverb"
    PUNCTUATION = "punctuation"
    WORD = "word"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One word, sign or check-worthy span."""

    text: str
    tag: Tag
    spaced: bool
    """Whether white space stands before it."""
    mention: Mention | None = None
    base: str = ""
    """Of a past or present verb, where it is known."""

    @property
    def lower(self) -> str:
        return self.text.lower().replace("’", "'")

    @property
    def is_finite(self) -> bool:
        return self.tag in {Tag.AUXILIARY, Tag.PAST, Tag.PRESENT}

    def has_kind(self, *kinds: Kind) -> bool:
        return self.mention is not None and self.mention.kind in kinds


def tokens_of(text: str, mentions: Sequence[Mention] = ()) -> list[Token]:
    """The tokens of `text`; `mentions` (places in `text`) stay whole."""
    found: list[Token] = []
    at = 0
    for mention in mentions:
        start, end = _with_quotes(text, mention)
        found += _plain(text, at, start)
        spaced = text[max(0, start - 1) : start].isspace()
        found.append(Token(text=text[start:end], tag=Tag.SPAN, spaced=spaced, mention=mention))
        at = end
    return found + _plain(text, at, len(text))


_QUOTE_AFTER = re.compile(r"[.,!?]?[\"”'’]")


def _with_quotes(text: str, mention: Mention) -> tuple[int, int]:
    """The place of a mention together with the quotation marks around a title."""
    start, end = mention.start, mention.end
    closing = _QUOTE_AFTER.match(text, end)
    if mention.kind is Kind.TITLE and text[start - 1 : start] in ('"', "“", "'", "‘") and closing:
        return start - 1, closing.end()
    return start, end


def _plain(text: str, start: int, end: int) -> list[Token]:
    found = []
    for match in _TOKEN.finditer(text, start, end):
        word = match.group()
        tag, base = _tag(word)
        spaced = text[max(0, match.start() - 1) : match.start()].isspace()
        found.append(Token(text=word, tag=tag, base=base, spaced=spaced))
    return found


def _tag(word: str) -> tuple[Tag, str]:
    lowered = word.lower().replace("’", "'")
    if not word[0].isalnum():
        return Tag.PUNCTUATION, ""
    for tag, listed in (
        (Tag.AUXILIARY, AUXILIARIES),
        (Tag.PRONOUN, PRONOUNS),
        (Tag.DETERMINER, DETERMINERS - {"that"}),
        (Tag.SUBORDINATOR, SUBORDINATORS),
        (Tag.CONJUNCTION, CONJUNCTIONS),
        (Tag.ADVERB, _ADVERBS),
        (Tag.PREPOSITION, PREPOSITIONS),
    ):
        if lowered in listed:
            return tag, ""
    past = base_of_past(lowered)
    if past or (is_participle(lowered) and lowered.endswith("ed")):
        return Tag.PAST, past
    if lowered in _SURE_THIRD_PERSON:
        return Tag.PRESENT, base_of_third_person(lowered)
    if lowered.endswith("ly") and len(lowered) > 4:
        return Tag.ADVERB, ""
    return Tag.WORD, ""


def glued(tokens: Sequence[Token], place: int) -> bool:
    """Whether a span is part of a longer word: the Earth of near-Earth, the 4 of 3-4."""
    before, after = tokens[max(0, place - 1) : place], tokens[place + 1 : place + 3]
    if before and before[0].text in "-–/" and not before[0].spaced:
        return not tokens[place].spaced
    if len(after) < 2 or after[0].spaced or after[1].spaced:
        return False
    return after[0].text == "/" or (after[0].text in "-–" and after[1].has_kind(Kind.NUMBER))


def joined(tokens: Sequence[Token]) -> str:
    """The text of tokens, spaced as they were."""
    return "".join((" " if t.spaced else "") + t.text for t in tokens).strip()
