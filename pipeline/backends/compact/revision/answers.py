"""Compatibility of the evidence's values with a question."""

from collections.abc import Sequence

from pipeline.backends.compact.text.spans import Mention, MentionKind
from pipeline.backends.compact.text.words import stem, stems_of
from pipeline.backends.compact.values import is_short_for, name_words

MAX_CANDIDATES = 300
"""Spans per text; a snippet has about 20."""
NAMES = (MentionKind.NAME, MentionKind.TITLE)
_MEASURES = stems_of(
    """metres meters kilometres kilometers km miles feet inches yards centimetres acres
    hectares kilograms kg tonnes tons pounds litres liters gallons degrees watts kilowatts
    megawatts volts hertz bytes megabytes gigabytes years months weeks days hours minutes
    seconds decades centuries percent dollars euros yen people inhabitants residents"""
)


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
