"""Occurrence of a span's value in a text, in any form."""

from pipeline.backends.compact.text.numbers import Quantity
from pipeline.backends.compact.text.spans import Mention, MentionKind, counted_figures, figures
from pipeline.backends.compact.text.words import stem
from pipeline.backends.compact.values.names import contains_name


def contains_value(mention: Mention, text: str) -> bool:
    """Check whether `text` has the number, date or name of `mention`."""
    if mention.kind in (MentionKind.NAME, MentionKind.TITLE):
        return contains_name(mention.text, text, whole=mention.kind is MentionKind.TITLE)
    if mention.quantity is not None:
        return _contains_number(mention, mention.quantity, text)
    return _contains_date(mention, text)


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


def _contains_date(mention: Mention, text: str) -> bool:
    date = mention.date
    if date is None:
        return False
    return any(other.date is not None and date.agrees_with(other.date) for other in figures(text))
