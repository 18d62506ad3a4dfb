"""The words that ask for a name or a title: who, where, which university, of what nationality."""

import re
from collections.abc import Sequence

from pipeline.backends.compact.questions.noun_phrases import (
    Asked,
    noun_end,
    phrase_start,
)
from pipeline.backends.compact.questions.tagging import DETERMINERS, POSSESSIVES, Tag, Token, joined
from pipeline.backends.compact.questions.verbs import base_of_third_person
from pipeline.backends.compact.text.entity_types import Sort, class_word, may_be_person, sort_of
from pipeline.backends.compact.text.spans import Kind, Mention
from pipeline.backends.compact.text.words import is_common, words_in

_RELATIONS = words_in(
    """brother sister wife husband son daughter father mother uncle aunt cousin friend partner
    actor actress singer president director author producer rapper founder composer lyricist writer
    musician artist player captain coach manager secretary minister senator governor mayor king
    queen prince emperor general officer journalist scientist physicist engineer architect leader
    comedian guitarist drummer bassist vocalist chairman editor judge lawyer spokesman pope"""
)
_NO_CLASS = words_in(
    """called named titled entitled known as is was are were first last new own current former late
    then fellow young old great modern ancient early nearby neighboring neighbouring rival various
    local southern northern eastern western central upper lower present-day modern-day more most
    when just only main major national international official famous future away similar time year
    day month week period stage point age part side others"""
)
_PERSON_VERBS = words_in(
    """born said says wrote sang directed married died starred played won founded argued told
    claimed claims believes wants announced composed painted invented discovered acted described
    concludes argues notes led stated suggested noted studied worked lived served has joined
    sings writes portrayed"""
)


def asked_for_name(mention: Mention, tokens: Sequence[Token], place: int) -> Asked:
    """How to ask for the name or title at `tokens[place]`, by its sort and its neighbours."""
    # The token may have the full name of somebody whom the span calls by the surname.
    name = mention.text if mention.kind is Kind.TITLE else tokens[place].text
    start, end = place, place + 1
    stop = noun_end(tokens, place)
    # One word that may be a verb is one: "President Hart dies".
    noun_follows = stop > end and not (
        stop == end + 1 and base_of_third_person(tokens[end].text) and stop < len(tokens)
    )
    quoted = mention.kind is Kind.TITLE
    if end < len(tokens) and tokens[end].lower in ("'s", "’s"):
        person = sort_of(name) in (Sort.PERSON, Sort.UNKNOWN)
        if start and tokens[start - 1].lower == "the":
            start -= 1
        words = "whose" if person else f"which {class_word(name) or 'place'}'s"
        return Asked(words=words, start=start, end=end + 1, is_phrase=False)
    noun = "" if sort_of(name) is Sort.PEOPLE else _noun_before(tokens, start)
    if noun:
        begin = start - len(noun.split())
        begin -= bool(begin) and tokens[begin - 1].tag is Tag.DETERMINER
        return Asked(words=f"which {noun}", start=begin, end=end)
    if start and tokens[start - 1].lower in ("the", "a", "an"):
        if noun_follows:
            return _attribute(mention, tokens, start, end)
        if tokens[start - 1].lower != "the":
            return Asked(words="what", start=start - 1, end=end)
        start -= 1
    elif noun_follows and not quoted:
        return _attribute(mention, tokens, start, end)
    if quoted:
        return Asked(words="what", start=start, end=end)
    sort = sort_of(name)
    before = tokens[start - 1].lower if start else ""
    after = tokens[end].lower if end < len(tokens) else ""
    if before and tokens[start - 1].has_kind(Kind.YEAR) and class_word(name):
        year = tokens[start - 1].text
        start -= 2 if start > 1 and tokens[start - 2].tag is Tag.DETERMINER else 1
        return Asked(words=f"which {year} {class_word(name)}", start=start, end=end)
    if sort is Sort.THING:
        words = f"which {class_word(name)}"
        return Asked(words=words, start=start, end=end)
    if sort is Sort.PLACE:
        word = f"which {class_word(name) or 'place'}"
        where = "where" if before in ("in", "at", "near") else ""
        return Asked(words=word, start=start, end=end, where=where)
    if sort is Sort.PEOPLE:
        language = before in ("in", "speak", "speaks", "spoke") or any(
            t.lower.startswith("language") for t in tokens
        )
        word = "which language" if language else "which people"
        return Asked(words=word, start=start, end=end)
    after_comma = tokens[end + 1] if end + 1 < len(tokens) and after == "," else None
    if after_comma is not None and after_comma.has_kind(Kind.NAME) and start and (
        sort in (Sort.UNKNOWN, Sort.PLACE) and sort_of(after_comma.text) is Sort.PLACE
        and before in ("in", "at", "near", "to", "from", "of")
    ):  # fmt: skip
        # "in Camden, London" is one place.
        stop = end + 2
        stop += stop < len(tokens) and tokens[stop].text == ","
        around = f"in {after_comma.text}"
        where = f"where {around}" if before in ("in", "at", "near") else ""
        return Asked(words=f"which place {around}", start=start, end=stop, where=where)
    if sort is Sort.PERSON or before == "by" or before in _RELATIONS or _is_he(tokens, place):
        return Asked(words="who", start=start, end=end)
    if may_be_person(name) and (
        after in _PERSON_VERBS
        or before in ("with", "married", "to", "alongside", "starring", "and")
    ):
        return Asked(words="who", start=start, end=end)
    where = "where" if before in ("in", "at", "near") and _place_like(tokens, start) else ""
    if after in _PERSON_VERBS and after != "has" and not name.isupper():
        return Asked(words="who", start=start, end=end)
    return Asked(words="what", start=start, end=end, where=where)


def _is_he(tokens: Sequence[Token], place: int) -> bool:
    """Whether the sentence calls its first name he or she."""
    mention = tokens[place].mention
    return (
        place == 0
        and mention is not None
        and sort_of(mention.text) is Sort.UNKNOWN
        and any(t.lower in ("he", "she", "his", "her", "himself", "herself") for t in tokens)
    )


def _place_like(tokens: Sequence[Token], start: int) -> bool:
    """Whether "in X" tells where: after some verbs and nouns it tells what in."""
    before = " ".join(t.lower for t in tokens[max(0, start - 4) : start - 1])
    return not re.search(
        r"star|role|interest|appear|feature|result|involv|participat|believ|degree|invest|major"
        r"|expert|publish|character|song|album|written|known|used",
        before,
    )


def _noun_before(tokens: Sequence[Token], start: int) -> str:
    """The class noun that a name follows: "mixtape" of "the mixtape Coke"; "" where none does."""
    if not start:
        return ""
    token = tokens[start - 1]
    if token.tag is not Tag.WORD or token.lower in _NO_CLASS or not token.text.isalpha():
        return ""
    opens = start == 1
    if not (opens or token.text.islower()) or not is_common(token.text):
        return ""
    if token.lower.endswith(("s", "ing", "ful", "ous", "able", "less", "ish")):
        return ""
    begin = phrase_start(tokens, start)
    first = tokens[begin]
    if first.lower in POSSESSIVES:
        return ""
    if first.tag is Tag.DETERMINER:
        begin += 1
    elif not (begin == 0 or token.lower in _RELATIONS) or (tokens[begin - 1 : begin] and (
        tokens[begin - 1].tag in {Tag.PAST, Tag.SPAN}
    )):  # fmt: skip
        return ""
    words = [t.lower if not i else t.text for i, t in enumerate(tokens[begin:start])]
    plain = all(t.tag is Tag.WORD for t in tokens[begin:start])
    return " ".join(words) if plain and len(words) <= 3 else ""


def _attribute(mention: Mention, tokens: Sequence[Token], start: int, end: int) -> Asked:
    """A name that stands before a noun as its attribute: "American singer", "the Hart mill"."""
    people = sort_of(mention.text) is Sort.PEOPLE
    stop = noun_end(tokens, end - 1)
    followed_by_name = stop < len(tokens) and tokens[stop].tag is Tag.SPAN
    if people and stop > end and not followed_by_name:
        begin = phrase_start(tokens, start)
        before = joined(tokens[begin:start])
        plain = all(t.tag in {Tag.WORD, Tag.DETERMINER} for t in tokens[begin:start])
        if plain and (begin == start or tokens[begin].lower in DETERMINERS):
            nouns = joined(tokens[end:stop])
            phrase = re.sub(r"^[Aa]n? ", "", f"{before} {nouns}".strip())
            article = ""
            if before.lower() in ("a", "an") or before.lower().startswith(("a ", "an ")):
                article = "an " if phrase[:1] in "aeiou" else "a "
            return Asked(
                words=f"{article}{phrase} of what nationality",
                start=begin, end=stop, is_phrase=False,
            )  # fmt: skip
    begin = phrase_start(tokens, start)
    adjectives = tokens[begin + 1 : start]
    if not people and stop > end and not followed_by_name and adjectives and (
        tokens[begin].lower in ("the", "a", "an") and all(t.tag is Tag.WORD for t in adjectives)
    ):  # fmt: skip
        words = f"which {joined(adjectives)} {joined(tokens[end:stop])}"
        return Asked(words=words, start=begin, end=stop)
    word = "which country's" if people else "which"
    if start and tokens[start - 1].lower in ("the", "a", "an"):
        start -= 1
    if not people and stop > end and not followed_by_name:
        return Asked(words=f"which {joined(tokens[end:stop])}", start=start, end=stop)
    return Asked(words=word, start=start, end=end, is_phrase=False)
