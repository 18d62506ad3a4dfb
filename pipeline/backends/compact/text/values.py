"""Whether the value of a check-worthy span stands in a text, in whatever form."""

import re

from rapidfuzz import fuzz

from pipeline.backends.compact.text.dates import MONTHS
from pipeline.backends.compact.text.names import name_stands_in, name_words
from pipeline.backends.compact.text.numbers import Quantity
from pipeline.backends.compact.text.spans import Kind, Mention, counted_figures, figures, mentions
from pipeline.backends.compact.text.words import STOPWORDS, plain, stem, words

_CENTURY = re.compile(r"\bcentur(?:y|ies)\b", re.IGNORECASE)


def stands_in(mention: Mention, text: str) -> bool:
    """Whether `text` says what `mention` says: same number, same date, same name."""
    if mention.kind is Kind.NAME:
        return name_stands_in(mention.text, text)
    if mention.kind is Kind.TITLE:
        return _title_stands_in(mention.text, text)
    if mention.quantity is not None:
        return _number_stands_in(mention, mention.quantity, text)
    return _date_stands_in(mention, text)


def _title_stands_in(title: str, text: str) -> bool:
    wanted = name_words(title)
    row = " " + " ".join(plain(word.text) for word in words(text)) + " "
    if " " + " ".join(wanted) + " " in row:
        return True
    if len(wanted) < 2:
        return False
    if fuzz.partial_ratio(" ".join(wanted), row) >= 88:
        return True
    # "Rip It Up" and "Rip It Up and Start Again" are one title.
    shorter = (name_words(m.text) for m in mentions(text) if m.kind in (Kind.TITLE, Kind.NAME))
    return any(len(other) > 1 and wanted[: len(other)] == other for other in shorter)


def _number_stands_in(mention: Mention, quantity: Quantity, text: str) -> bool:
    years: set[int] = set()
    counted = _same_unit_elsewhere(mention, text)
    for other in counted_figures(text) if mention.unit else figures(text):
        if other.quantity is not None:
            if quantity.agrees_with(other.quantity) and not (
                counted and _other_unit(mention, other)
            ):
                return True
            if _is_other_form(mention, other):
                return True
        elif other.date is not None and other.date.year is not None:
            years.add(other.date.year)
            if quantity.value == other.date.year and quantity.form == "cardinal":
                return True
        if quantity.form == "ordinal" and other.date and other.date.day == quantity.value:
            return True
    if mention.unit.lower().startswith("centur"):
        # The 19th century began in 1801.
        return any((year - 1) // 100 + 1 == quantity.value for year in years if year > 0)
    if quantity.form == "cardinal" and 1 < quantity.value <= 150 and quantity.value % 1 == 0:
        # An age or a duration that follows from two years.
        return any(
            year + quantity.value in years or year + quantity.value + 1 in years for year in years
        )
    return False


def _same_unit_elsewhere(mention: Mention, text: str) -> bool:
    """Whether the text counts what the mention counts, with a number that it can be held to."""
    return bool(mention.unit) and any(
        other.quantity is not None
        and other.unit
        and stem(other.unit) == stem(mention.unit)
        and other.unit.lower() not in STOPWORDS
        for other in counted_figures(text)
    )


def _other_unit(mention: Mention, other: Mention) -> bool:
    """Three mechanisms are not three dimensions."""
    return (
        bool(other.unit)
        and other.unit.lower() not in STOPWORDS
        and stem(other.unit) != stem(mention.unit)
    )


def _is_other_form(mention: Mention, other: Mention) -> bool:
    """Half is 50 per cent; "one of three" third parts are left to the reader."""
    if mention.quantity is None or other.quantity is None:
        return False
    mine, theirs = mention.quantity, other.quantity
    return "percent" in (mine.form, theirs.form) and (
        mine.value == theirs.value * 100 or theirs.value == mine.value * 100
    )


def _date_stands_in(mention: Mention, text: str) -> bool:
    date = mention.date
    if date is None:
        return False
    others = [other for other in figures(text) if other.date is not None]
    if any(other.date is not None and date.agrees_with(other.date) for other in others):
        return True
    if date.day is None and date.month is not None and date.year is not None:
        # "from August through October" in a text of 2007 is October 2007.
        month = re.search(rf"\b{MONTHS[date.month - 1]}\b", text)
        if month and any(other.date and other.date.year == date.year for other in others):
            return True
    if mention.kind is Kind.YEAR and date.year is not None:
        if any(other.quantity and other.quantity.value == date.year for other in figures(text)):
            return True
        if date.is_decade and _CENTURY.search(text):
            return any(
                other.quantity is not None
                and other.quantity.form == "ordinal"
                and (date.year - 1) // 100 + 1 == other.quantity.value
                for other in figures(text)
            )
        return str(date.year) in text
    return False
