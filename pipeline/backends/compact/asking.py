"""The words that ask for a check-worthy span, and the tokens that they stand for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.backends.compact.name_sorts import Sort, class_word, may_be_person, sort_of
from pipeline.backends.compact.spans import Kind, Mention
from pipeline.backends.compact.tagging import DETERMINERS, POSSESSIVES, Tag, Token, glued, joined
from pipeline.backends.compact.verbs import base_of_third_person
from pipeline.backends.compact.words import is_common, words_in

_COUNTED_BY_NAME = words_in(
    """number no part chapter season episode volume section page level phase stage grade type
    version article act highway route channel group class"""
)
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


def asked_for(tokens: Sequence[Token], place: int) -> Asked:
    """How to ask for the span at `tokens[place]`."""
    mention = tokens[place].mention
    if mention is None:
        raise ValueError("Only a span can be asked for.")
    if glued(tokens, place):
        return Asked(words="what", start=place, end=place + 1, is_phrase=False)
    if mention.kind is Kind.YEAR:
        return _year(mention, tokens, place)
    if mention.kind is Kind.DATE:
        day = mention.date is not None and mention.date.day is not None
        words = "what date" if day else "what month and year"
        start = place - 1 if place and tokens[place - 1].lower == "the" else place
        return Asked(words=words, start=start, end=place + 1)
    if mention.kind is Kind.NUMBER:
        return _number(mention, tokens, place)
    return _name(mention, tokens, place)


def _follower(tokens: Sequence[Token], place: int) -> Token | None:
    return tokens[place + 1] if place + 1 < len(tokens) else None


def _phrase_start(tokens: Sequence[Token], place: int) -> int:
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


def _year(mention: Mention, tokens: Sequence[Token], place: int) -> Asked:
    decade = mention.date is not None and mention.date.is_decade
    noun = "decade" if decade else "year"
    follower = _follower(tokens, place)
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


def _number(mention: Mention, tokens: Sequence[Token], place: int) -> Asked:
    form = mention.quantity.form if mention.quantity else "cardinal"
    before = tokens[place - 1] if place else None
    follower = _follower(tokens, place)
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
    follower = _follower(tokens, place)
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


def _name(mention: Mention, tokens: Sequence[Token], place: int) -> Asked:
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
    begin = _phrase_start(tokens, start)
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
        begin = _phrase_start(tokens, start)
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
    begin = _phrase_start(tokens, start)
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
