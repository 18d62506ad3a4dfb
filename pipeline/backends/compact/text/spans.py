"""Check-worthy spans: numbers, dates, years, titles and names.

Never citation marks or list numbers; COVID-19 is a name.
"""

import enum
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pipeline.backends.compact.text.dates import CalendarDate, find_dates, find_years
from pipeline.backends.compact.text.numbers import (
    Quantity,
    find_quantities,
    is_in_word,
    without_list_numbers,
)
from pipeline.backends.compact.text.parsing import parsed
from pipeline.backends.compact.text.proper_names import proper_names
from pipeline.backends.compact.text.words import STOPWORDS, mask_matches
from pipeline.metrics.citation_marks import GROUP
from pipeline.text.spans import Span

CITATION = re.compile(GROUP)
_MARKS = re.compile(rf"{CITATION.pattern}|\*\*|__")
_QUOTED = re.compile(
    r"\"([^\"\n]{2,90})\"|“([^”\n]{2,90})”|(?<![\w])['‘](?=[A-Z0-9])([^\n\"]{2,80}?)['’](?![\w])"
)
_COUNTED_AFTER = re.compile(
    r"[\s\-]+([a-z]+s|people|(?:wo)?men|[cmk]?m|kg|lb|ft|mi|ha|mph|kmh|ton(?:ne)?|dollar|euro"
    r"|percent)(?![A-Za-z])"
)
_COUNTING = frozenset(["nummod", "amod", "compound", "quantmod"])
_NOUNS = frozenset(["NOUN", "PROPN"])
_MOST_NUMERALS = 4
"""Tokens of a number: "two hundred and five thousand"."""


class MentionKind(enum.StrEnum):
    NUMBER = "number"
    DATE = "date"
    YEAR = "year"
    TITLE = "title"
    NAME = "name"

    @property
    def is_numeric(self) -> bool:
        return self in {MentionKind.NUMBER, MentionKind.DATE, MentionKind.YEAR}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention(Span):
    """A check-worthy span and its meaning."""

    text: str
    kind: MentionKind
    quantity: Quantity | None = None
    date: CalendarDate | None = None
    unit: str = ""
    """The word that a number counts or measures."""
    label: str = ""
    """A name's entity label: PERSON, ORG, GPE …; "" if unknown."""


@lru_cache(maxsize=4096)
def mentions(text: str) -> tuple[Mention, ...]:
    """Return the check-worthy spans in order, without overlaps."""
    blank = without_marks(text)
    titles = [_mention(text, start, end, MentionKind.TITLE) for start, end in _titles(blank)]
    numeric = counted_figures(text)
    numbers = [mention for mention in numeric if mention.kind is MentionKind.NUMBER]
    names = [
        _mention(text, each.start + start, each.start + end, MentionKind.NAME, label=label)
        for each in parsed(blank)
        for start, end, label in proper_names(each.doc)
    ]
    dates = [mention for mention in numeric if mention.kind is not MentionKind.NUMBER]
    # "Apollo 11" is a name, "The Game of 1997" a title.
    return drop_overlaps([*titles, *dates, *names, *numbers], len(text))


@lru_cache(maxsize=4096)
def figures(text: str) -> tuple[Mention, ...]:
    """Return dates, years and numbers, also those in titles, without parsing."""
    blank = without_marks(text)
    all_figures: list[Mention] = []
    for start, end, date in find_dates(blank):
        all_figures.append(_mention(text, start, end, MentionKind.DATE, date=date))
    for start, end, date in find_years(blank):
        if not _counts(blank, end) and not is_in_word(blank, start, end, is_year=True):
            all_figures.append(_mention(text, start, end, MentionKind.YEAR, date=date))
    for start, end, quantity in find_quantities(blank):
        if not is_in_word(blank, start, end, is_year=False):
            all_figures.append(_mention(text, start, end, MentionKind.NUMBER, quantity=quantity))
    return drop_overlaps(all_figures, len(text))


@lru_cache(maxsize=4096)
def counted_figures(text: str) -> tuple[Mention, ...]:
    """Return `figures` with units."""
    counted = _counted(without_marks(text))

    def unit(of: Mention) -> str:
        return next((counted[at] for at in (of.end - 1, of.start) if at in counted), "")

    numbers = figures(text)
    return tuple(replace(each, unit=unit(each)) if each.quantity else each for each in numbers)


def _counted(text: str) -> dict[int, str]:
    """Map each character of a number to the noun that it modifies."""
    units: dict[int, str] = {}
    for sentence in parsed(text):
        for token in sentence.doc:
            last = token
            for _ in range(_MOST_NUMERALS):
                if last.dep_ in _COUNTING and _is_numeral(last.head):
                    last = last.head
            is_before = last.dep_ in _COUNTING and last.i < last.head.i
            if is_before and _is_numeral(token) and last.head.pos_ in _NOUNS:
                at = sentence.start + token.idx
                powers = [t.text for t in last.head.lefts if t.lower_ in ("square", "cubic")]
                unit = " ".join([*powers, last.head.text])
                units.update(dict.fromkeys(range(at, at + len(token)), unit))
    return units


def _is_numeral(token: Any) -> bool:
    return bool(token.like_num) or token.tag_ == "CD"


def without_marks(text: str) -> str:
    """Replace citations, list numbers and bold marks with spaces."""
    return without_list_numbers(mask_matches(text, _MARKS))


def mentions_outside(text: str, span: Span) -> list[Mention]:
    return [each for each in mentions(text) if not each.meets(span)]


def _mention(text: str, start: int, end: int, kind: MentionKind, **meaning: Any) -> Mention:
    return Mention(start=start, end=end, text=text[start:end], kind=kind, **meaning)


def drop_overlaps(candidates: Sequence[Mention], length: int) -> tuple[Mention, ...]:
    """Drop mentions that overlap an earlier one in the list; sort by position."""
    taken = bytearray(length + 1)
    remaining: list[Mention] = []
    for mention in candidates:
        if not any(taken[mention.start : mention.end]):
            taken[mention.start : mention.end] = b"\x01" * (mention.end - mention.start)
            remaining.append(mention)
    return tuple(sorted(remaining, key=lambda mention: mention.start))


def _counts(text: str, end: int) -> bool:
    """Check whether the digits before `end` count what follows: "1500 km" is no year."""
    after = _COUNTED_AFTER.match(text, end)
    return text[end - 1].isdigit() and after is not None and after[1] not in STOPWORDS


def _titles(text: str) -> Iterator[tuple[int, int]]:
    for match in _QUOTED.finditer(text):
        start, end = match.span(match.lastindex or 0)
        piece = text[start:end].rstrip(".,;:!? ")
        parts = piece.split()
        is_named = len(parts) <= 3 or any(word[:1].isupper() for word in parts if len(word) > 3)
        if (piece[:1].isupper() or piece[:1].isdigit()) and len(parts) <= 12 and is_named:
            yield start, start + len(piece)
