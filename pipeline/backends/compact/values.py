"""Equality of names, numbers and dates, their occurrences and replacements.

Equal are the same words, a listed alias, initials, and a part that no third name contains: "Curie"
is Marie Curie where no Pierre Curie is named.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from pipeline.backends.compact.text.numbers import Quantity
from pipeline.backends.compact.text.spans import (
    Mention,
    MentionKind,
    counted_figures,
    figures,
    mentions,
)
from pipeline.backends.compact.text.words import normalize, stem, stems_of, word_set, words

_HONORIFICS = word_set(
    """sir dame lord lady dr mr mrs ms prof professor president king queen prince princess emperor
    pope saint st general captain colonel senator governor minister chancellor the a an former"""
)
_IGNORED = _HONORIFICS | {"of", "and", "de"}
_DISTINGUISHING = word_set(
    "north south east west new northern southern eastern western central upper lower united great"
)
"""Words that make another name: "New South Wales" is not Wales."""
_ALIASES = """
    us, usa, united states, america, american; uk, united kingdom, britain, british; eu,
    european union; un, united nations; nyc, new york, new york city; world war ii,
    second world war, world war two, wwii, ww2; world war i, first world war, world war one, wwi,
    ww1; ussr, soviet union, soviet; dutch, netherlands, holland; africa, african; argentina,
    argentine, argentinian; asia, asian; australia, australian; austria, austrian; belgium, belgian;
    brazil, brazilian; bulgaria, bulgarian; canada, canadian; chile, chilean; china, chinese;
    colombia, colombian; croatia, croatian; cuba, cuban; czech republic, czechia, czech; denmark,
    danish; egypt, egyptian; england, english; europe, european; finland, finnish; france, french;
    germany, german; greece, greek; hungary, hungarian; iceland, icelandic; india, indian;
    indonesia, indonesian; iran, iranian; iraq, iraqi; ireland, irish; israel, israeli; italy,
    italian; japan, japanese; kenya, kenyan; korea, korean; mexico, mexican; nigeria, nigerian;
    norway, norwegian; pakistan, pakistani; peru, peruvian; philippines, filipino; poland, polish;
    portugal, portuguese; romania, romanian; russia, russian; scotland, scottish; serbia, serbian;
    south africa, south african; spain, spanish; sweden, swedish; switzerland, swiss; turkey,
    turkish; ukraine, ukrainian; vietnam, vietnamese; wales, welsh
"""
_ALIAS_OF = {
    name: group
    for group in re.split(r";\s+", _ALIASES.strip())
    for name in re.split(r",\s+", group)
}
"""Groups of aliases, by each name of theirs."""
MAX_CANDIDATES = 300
"""Spans per text; a snippet has about 20."""
NAMES = (MentionKind.NAME, MentionKind.TITLE)
_MEASURES = stems_of(
    """metres meters kilometres kilometers km miles feet inches yards centimetres acres
    hectares kilograms kg tonnes tons pounds litres liters gallons degrees watts kilowatts
    megawatts volts hertz bytes megabytes gigabytes years months weeks days hours minutes
    seconds decades centuries percent dollars euros yen people inhabitants residents"""
)
_NUMERAL = re.compile(r"[ivxlcdm]+|\d+(?:st|nd|rd|th)?")


@lru_cache(maxsize=16384)
def name_words(name: str) -> tuple[str, ...]:
    """Return a name's words without honorifics, articles and accents.

    >>> name_words("Sir Isaac Newton's")
    ('isaac', 'newton')
    """
    all_words = tuple(normalize(word.text) for word in words(name))
    return tuple(w for w in all_words if w not in _IGNORED) or all_words


@lru_cache(maxsize=16384)
def same_name(one: str, other: str) -> bool:
    """Check whether two names may denote the same; case, accents and titles do not count."""
    mine, theirs = name_words(one), name_words(other)
    if not mine or not theirs:
        return False
    if "".join(mine) == "".join(theirs) or _abbreviates(one, other):
        return True
    if _alias(" ".join(mine)) == _alias(" ".join(theirs)):
        return True
    mine_left = set(map(_alias, mine)) - set(map(_alias, theirs))
    theirs_left = set(map(_alias, theirs)) - set(map(_alias, mine))
    if bool(mine_left) == bool(theirs_left):
        return not mine_left
    short, full = (theirs, mine) if mine_left else (mine, theirs)
    # Elizabeth may be Elizabeth II, but Wales is not New South Wales.
    if (mine_left | theirs_left) & _DISTINGUISHING or all(
        _NUMERAL.fullmatch(word) for word in short
    ):
        return False
    ends = [full[: len(short)], full[-len(short) :]]
    if len(short) > 1:  # "Marie Skłodowska Curie"
        ends.append((*full[: len(short) - 1], full[-1]))
    return short in ends


def is_short_for(short: str, full: str) -> bool:
    """Check whether a name is the first or last words of a longer one.

    >>> is_short_for("Curie", "Marie Curie"), is_short_for("Germany", "Germanic")
    (True, False)
    """
    few, many = name_words(short), name_words(full)
    if not 0 < len(few) < len(many) or not same_name(short, full):
        return False
    return few in (many[: len(few)], many[-len(few) :])


def _alias(name: str) -> str:
    return _ALIAS_OF.get(name, name)


def _abbreviates(one: str, other: str) -> bool:
    for short, full in ((one, other), (other, one)):
        capitals = "".join(w.text[0] for w in words(full) if w.text[0].isupper())
        if len(capitals) > 1 and _letters(short) == capitals:
            return True
    return False


def _letters(name: str) -> str:
    bare = re.sub(r"(?<=[A-Z]{2})['’]?s$", "", name.replace(".", ""))
    return bare if bare.isupper() and 2 <= len(bare) <= 6 else ""


@lru_cache(maxsize=1024)
def _names(text: str) -> tuple[str, ...]:
    named = (m.text for m in mentions(text) if m.kind in NAMES)
    return tuple(dict.fromkeys(named))


@lru_cache(maxsize=1024)
def _joined_words(text: str) -> str:
    text_words = (normalize(word.text) for word in words(text))
    return f" {' '.join(w for w in text_words if w not in _IGNORED)} "


@lru_cache(maxsize=16384)
def contains_name(name: str, text: str, *, whole: bool = False) -> bool:
    """Check whether `text` contains a name, if not `whole` also in part.

    >>> contains_name("Marie Curie", "Pierre Curie taught. Curie was born in Paris.")
    False
    """
    parts = name_words(name)
    if not parts:
        return False
    known = _names(text)
    same = [other for other in known if same_name(name, other)]
    if any(len(name_words(other)) >= len(parts) for other in same):
        return True
    for other in () if whole else same:
        # "Curie" is a full name's bearer in the text.
        short = name_words(other)
        full = [each for each in known if len(name_words(each)) > len(short)]
        if not any(short[0] in name_words(each) for each in full):
            return True
    # Not in "New South Wales".
    phrase = f" {' '.join(parts)} "
    return phrase in _joined_words(text) and not any(
        phrase in _joined_words(each) for each in known
    )


def contains_value(mention: Mention, text: str) -> bool:
    """Check whether `text` has the number, date or name of `mention`."""
    if mention.kind in NAMES:
        return contains_name(mention.text, text, whole=mention.kind is MentionKind.TITLE)
    if mention.quantity is not None:
        return _contains_number(mention, mention.quantity, text)
    dates = [other.date for other in figures(text) if other.date is not None]
    return mention.date is not None and any(map(mention.date.agrees_with, dates))


def _contains_number(mention: Mention, quantity: Quantity, text: str) -> bool:
    unit = stem(mention.unit)
    others = counted_figures(text) if unit else figures(text)
    counted = {stem(other.unit) for other in others}
    for other in others:
        if other.quantity is not None:
            # Three mechanisms are not three dimensions.
            is_other = unit in counted and stem(other.unit) not in ("", unit)
            if quantity.agrees_with(other.quantity) and not is_other:
                return True
        elif (
            other.date is not None
            and quantity.value == other.date.year
            and quantity.form == "cardinal"
            and not unit
        ):
            return True
    return False


def same_value(mine: Mention, other: Mention) -> bool:
    """Check whether two spans of compatible kinds have the same value."""
    if mine.quantity is not None and other.quantity is not None:
        return mine.quantity.agrees_with(other.quantity)
    if mine.date is not None and other.date is not None:
        return mine.date.agrees_with(other.date)
    return same_name(mine.text, other.text)


def answer_key(mention: Mention) -> object:
    """A key that spans of equal value share."""
    if mention.quantity is not None:
        return (mention.quantity.value, mention.quantity.form)
    if mention.date is not None:
        return mention.date
    return name_words(mention.text)


def by_answer(possible: Sequence[Mention]) -> list[list[Mention]]:
    """Group spans by value, in order."""
    groups: dict[object, list[Mention]] = {}
    for mention in possible:
        groups.setdefault(answer_key(mention), []).append(mention)
    return list(groups.values())


def shares_prefix_or_suffix(mine: Mention, other: Mention) -> bool:
    """Check whether two names share at least two words at one end."""
    one, two = name_words(mine.text), name_words(other.text)
    is_long = mine.kind in NAMES and min(len(one), len(two)) > 2
    return is_long and (one[:2] == two[:2] or one[-2:] == two[-2:])


def is_counterpart(mine: Mention, other: Mention) -> bool:
    """Check whether two spans' kinds may answer the same question."""
    if mine.kind in NAMES:
        # No person is called MVP or CEO.
        is_abbreviation = other.text.isupper() and " " not in other.text
        return other.kind in NAMES and not (mine.label == "PERSON" and is_abbreviation)
    if mine.kind is MentionKind.YEAR:
        return other.date is not None and other.date.year is not None
    if mine.kind is MentionKind.DATE:
        return other.kind is MentionKind.DATE
    if other.kind is not MentionKind.NUMBER or mine.quantity is None or other.quantity is None:
        return False
    if "ordinal" in (mine.quantity.form, other.quantity.form):
        return mine.quantity.form == other.quantity.form
    return True


def counts_something_else(mine: Mention, other: Mention) -> bool:
    """Check whether two numbers have different units of measurement."""
    units = {stem(mine.unit), stem(other.unit)} - {""}
    return len(units) == 2 and not _MEASURES.isdisjoint(unit.split()[-1] for unit in units)


def already_used(other: Mention, rest: Sequence[Mention]) -> bool:
    """Check whether the sentence has this value elsewhere."""
    if other.kind in NAMES:
        names = [m for m in rest if m.kind in NAMES]
        return any(
            answer_key(m) == answer_key(other)
            # YouTube is not the YouTube Awards.
            or (
                m.label in ("PERSON", "")
                and "PERSON" in (m.label, other.label)
                and is_short_for(m.text, other.text)
            )
            or is_short_for(other.text, m.text)
            for m in names
        )
    return any(
        (other.quantity and mine.quantity and other.quantity.value == mine.quantity.value)
        or (other.date and other.date == mine.date)
        for mine in rest
    )
