"""The words that ask for a year or a number: how many mills, which floor, at what age."""

import re
from collections.abc import Sequence

from pipeline.backends.compact.questions.noun_phrases import (
    Asked,
    follower_of,
    noun_end,
    of_phrase_end,
)
from pipeline.backends.compact.questions.tagging import POSSESSIVES, Tag, Token, joined
from pipeline.backends.compact.text.entity_types import Sort, sort_of
from pipeline.backends.compact.text.spans import Kind, Mention
from pipeline.backends.compact.text.words import words_in

_COUNTED_BY_NAME = words_in(
    """number no part chapter season episode volume section page level phase stage grade type
    version article act highway route channel group class"""
)


def asked_for_year(mention: Mention, tokens: Sequence[Token], place: int) -> Asked:
    """How to ask for the year at `tokens[place]`."""
    decade = mention.date is not None and mention.date.is_decade
    noun = "decade" if decade else "year"
    follower = follower_of(tokens, place)
    start = place
    if (
        follower is not None
        and not decade
        and (follower.tag is Tag.WORD or follower.mention is not None)
        and place
        and tokens[place - 1].tag is Tag.DETERMINER
    ):
        # "the 1912 film" is the film of a year.
        end = noun_end(tokens, place)
        if tokens[place - 1].lower in POSSESSIVES:
            return Asked(words=f"what {noun}", start=place, end=place + 1, is_phrase=False)
        if end > place + 1 and not (end < len(tokens) and tokens[end].tag is Tag.SPAN):
            phrase = joined(tokens[place - 1 : place]) + " " + joined(tokens[place + 1 : end])
            article = re.sub(r"^an? (?=[aeiou])", "an ", re.sub(r"^an? ", "a ", phrase))
            return Asked(
                words=f"{article} of what {noun}", start=place - 1, end=end, is_phrase=False
            )
        return Asked(words=f"what {noun}'s", start=place - 1, end=place + 1, is_phrase=False)
    while start and tokens[start - 1].lower in ("the", "year", "about", "around", "circa", "c"):
        start -= 1
    return Asked(words=f"what {noun}", start=start, end=place + 1)


def asked_for_number(mention: Mention, tokens: Sequence[Token], place: int) -> Asked:
    """How to ask for the number at `tokens[place]`, by what it counts or orders."""
    form = mention.quantity.form if mention.quantity else "cardinal"
    before = tokens[place - 1] if place else None
    follower = follower_of(tokens, place)
    start = place
    if form == "ordinal":
        return _ordinal(tokens, place)
    if _is_age(tokens, place):
        start -= tokens[place - 1].lower == "aged"
        return Asked(words="how old", start=start, end=place + 1)
    while start and tokens[start - 1].lower in (
        "about", "around", "approximately", "roughly", "nearly", "almost", "some", "over", "only",
        "estimated", "exactly", "just",
    ):  # fmt: skip
        start -= 1
    start = _without_bounds(tokens, start)
    start -= bool(start) and tokens[start - 1].lower in ("a", "an") and start < place
    if (
        before is not None
        and before.lower == "of"
        and place > 1
        and tokens[place - 2].lower == "age"
    ):
        article = place > 2 and tokens[place - 3].lower == "the"
        return Asked(words="what age", start=place - 2 - article, end=place + 1)
    if form == "money":
        end = place + 2 if follower is not None and follower.lower == "dollars" else place + 1
        return Asked(words="how much money", start=start, end=end)
    if form == "percent":
        end = of_phrase_end(tokens, place + 1)
        of = joined(tokens[place + 1 : end])
        return Asked(words=f"what percentage {of}".rstrip(), start=start, end=end)
    if before is not None and before.lower in _COUNTED_BY_NAME and before.tag is not Tag.SPAN:
        noun = "number" if before.lower == "no" else before.lower
        end = of_phrase_end(tokens, place + 1)
        of = joined(tokens[place + 1 : end])
        return Asked(words=f"which {noun} {of}".rstrip(), start=place - 1, end=end)
    if follower is not None and follower.text in "-–" and place + 2 < len(tokens):
        if tokens[place + 2].has_kind(Kind.NUMBER):
            return Asked(words="what number", start=place, end=place + 1, is_phrase=False)
        return Asked(words="how many", start=place, end=place + 1, is_phrase=False)
    if follower is None or not (follower.tag is Tag.WORD and follower.text[0].isalpha()):
        if follower is not None and follower.lower == "of":
            end = of_phrase_end(tokens, place + 1)
            return Asked(words=f"how many {joined(tokens[place + 1 : end])}", start=start, end=end)
        if follower is not None and follower.has_kind(Kind.NAME) and follower.spaced:
            # "8 million U.S. citizens".
            end = noun_end(tokens, place + 1)
            if end > place + 2:
                nouns = joined(tokens[place + 1 : end])
                return Asked(words=f"how many {nouns}", start=start, end=end)
        if (
            follower is not None
            and follower.tag is Tag.PAST
            and noun_end(tokens, place) > place + 1
        ):
            return _counted(tokens, start, place)
        return Asked(words="what number", start=start, end=place + 1)
    return _counted(tokens, start, place)


def _is_age(tokens: Sequence[Token], place: int) -> bool:
    """Whether a number is somebody's age: "she was 16", "aged 16"."""
    follower = follower_of(tokens, place)
    ends = follower is None or follower.tag in {Tag.PUNCTUATION, Tag.SUBORDINATOR}
    if not place or not ends or not tokens[place].text.isdigit():
        return False
    before = tokens[place - 1]
    if before.lower == "aged":
        return True
    owner = tokens[place - 2] if place > 1 else None
    return before.lower in ("was", "is") and owner is not None and (
        owner.lower in ("he", "she")
        or (owner.has_kind(Kind.NAME) and sort_of(owner.text) in (Sort.PERSON, Sort.UNKNOWN))
    )  # fmt: skip


def _without_bounds(tokens: Sequence[Token], start: int) -> int:
    """Takes "more than", "at least" and "up to" along: the question asks for the very number."""
    for words in (("more", "than"), ("less", "than"), ("fewer", "than"), ("at", "least"),
                  ("at", "most"), ("up", "to"), ("as", "many", "as"), ("a", "total", "of"),
                  ("total", "of"), ("an", "estimated")):  # fmt: skip
        found = tuple(t.lower for t in tokens[max(0, start - len(words)) : start])
        if found == words:
            return start - len(words)
    return start


def _counted(tokens: Sequence[Token], start: int, place: int) -> Asked:
    end = noun_end(tokens, place)
    if end == place + 1:
        return Asked(words="how many", start=start, end=place + 1, is_phrase=False)
    nouns = joined(tokens[place + 1 : end])
    before = tokens[start - 1] if start else None
    if nouns in ("years", "months", "days", "weeks") and end < len(tokens) and (
        tokens[end].lower == "old"
    ):  # fmt: skip
        return Asked(words=f"how many {nouns} old", start=start, end=end + 1)
    if before is not None and before.lower in POSSESSIVES:
        return Asked(words=f"how many of {before.lower} {nouns}", start=start - 1, end=end)
    if before is not None and before.lower in ("the", "these", "those", "a", "all"):
        return Asked(words=f"how many {nouns}", start=start - 1, end=end)
    if before is not None and before.lower in ("first", "last", "next", "other", "'s"):
        return Asked(words=f"how many {nouns}", start=start, end=end, is_phrase=False)
    if end < len(tokens) and tokens[end].lower in ("long", "tall", "high", "wide", "deep", "away"):
        return Asked(words=f"how many {nouns} {tokens[end].lower}", start=start, end=end + 1)
    return Asked(words=f"how many {nouns}", start=start, end=end)


def _ordinal(tokens: Sequence[Token], place: int) -> Asked:
    end = noun_end(tokens, place)
    before = tokens[place - 1] if place else None
    nouns = joined(tokens[place + 1 : end])
    first = tokens[place + 1].lower if end > place + 1 else ""
    if not nouns and place + 1 < len(tokens) and tokens[place + 1].tag is Tag.SPAN:
        article = before is not None and before.lower in ("the", "a")
        return Asked(words="which", start=place - article, end=place + 1, is_phrase=False)
    if not nouns:
        return Asked(words="in what place", start=place, end=place + 1, is_phrase=False)
    if first.endswith("est") or first in ("most", "least", "best", "worst"):
        return Asked(words="which", start=place, end=place + 1, is_phrase=False)
    if first in ("century", "floor", "season", "edition", "round", "day", "week", "month", "year",
                 "quarter", "grade", "half", "stage", "anniversary", "episode", "act"):  # fmt: skip
        word = "which"
    else:
        word = "which number"
    taken = before is not None and before.tag is Tag.DETERMINER and before.lower not in POSSESSIVES
    if before is not None and (
        before.lower in POSSESSIVES or before.text in ("'s", "’s", "'", "’")
    ):
        return Asked(words=word, start=place, end=place + 1, is_phrase=False)
    return Asked(words=f"{word} {nouns}", start=place - taken, end=end)
