"""Numbers in digits and words: with scale, percent, currency, ordinals."""

import re
from collections.abc import Iterator
from dataclasses import dataclass


def _numbered(words: str, first: int, step: int = 1) -> dict[str, int]:
    return {word: first + step * number for number, word in enumerate(words.split())}


_ONES = _numbered(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen""",
    0,
)
_TENS = _numbered("twenty thirty forty fifty sixty seventy eighty ninety", 20, step=10)
_ORDINALS = _numbered(
    """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""",
    1,
)
_SCALES = {
    "hundred": 1e2, "dozen": 12.0, "thousand": 1e3, "million": 1e6, "billion": 1e9,
    "trillion": 1e12, "bn": 1e9,
}  # fmt: skip

# "100k followers", "$1.2m", "3bn"
_SUFFIXES = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9, "tn": 1e12}

NUMERAL = "|".join(sorted({**_ONES, **_TENS}, key=len, reverse=True))
_SCALE = "|".join(_SCALES)
NUMBER = re.compile(
    r"(?<![\w.,/])(?P<money>(?:US|A|C)?[$€£¥₹]\s?)?"
    r"(?P<digits>\d{1,3}(?:,\d{2,3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:(?P<ordinal>st|nd|rd|th)\b|(?P<percent>\s?(?:%|per\s?cent\b))"
    rf"|[ \-](?P<scale>{_SCALE})s?\b|(?P<suffix>k|mn?|bn?|tn)\b)?"
    r"(?!\d|[,./]\d)",
    re.IGNORECASE,
)
WORDS = re.compile(
    rf"\b(?P<words>(?:(?:{NUMERAL}|{_SCALE})(?:[ \-]|\s+and\s+)?)*(?:{NUMERAL}|{_SCALE}))\b"
    r"(?P<percent>\s+per\s?cent\b)?",
    re.IGNORECASE,
)
ORDINAL_WORDS = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})-)?(?P<ordinal>{'|'.join(_ORDINALS)})\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number's value and form."""

    value: float
    form: str
    """cardinal, ordinal, percent or money"""
    significant: int = 0
    """Count of significant digits."""
    is_word: bool = False

    def agrees_with(self, other: "Quantity") -> bool:
        """Check whether one may be the other, rounded."""
        if self.value == other.value:
            return True
        if "ordinal" in (self.form, other.form) or 0 in (self.value, other.value):
            return False
        return _rounds_to(other.value, self) or _rounds_to(self.value, other)


def _rounds_to(value: float, rounded: Quantity) -> bool:
    """Check whether `value`, with the precision of `rounded`, equals it."""
    digits = rounded.significant
    if not 1 <= digits < 4 or (abs(rounded.value) < 100 and rounded.value == int(rounded.value)):
        return False
    if abs(value - rounded.value) > 0.05 * abs(value):
        return False
    return float(f"{value:.{digits - 1}e}") == rounded.value


def _significant(digits: str, scaled: bool) -> int:
    bare = digits.replace(",", "").lstrip("0.")
    if "." in digits:
        return len(bare.replace(".", ""))
    return len(bare.rstrip("0")) or (1 if scaled else 0) or 1


def _is_scale(suffix: str, is_money: bool) -> bool:
    """Distinguish scales from units: "5m" is five metres, "$5m" five million."""
    return suffix in ("k", "K", "bn", "Bn", "BN", "mn", "tn", "M") or is_money


def find_quantities(text: str) -> Iterator[tuple[int, int, Quantity]]:
    """Yield (start, end, quantity) of numbers in digits, then in words; they may overlap."""
    for match in NUMBER.finditer(text):
        digits = match["digits"]
        scale = _SCALES[match["scale"].lower()] if match["scale"] else 1.0
        end = match.end()
        if match["suffix"] and _is_scale(match["suffix"], bool(match["money"])):
            scale = _SUFFIXES[match["suffix"].lower()]
        elif match["suffix"]:
            end = match.end("digits")
        form = next((name for name in ("money", "ordinal", "percent") if match[name]), "cardinal")
        number, significant = float(digits.replace(",", "")), _significant(digits, scale > 1)
        quantity = Quantity(value=number * scale, form=form, significant=significant)
        yield match.start(), end, quantity
    for match in WORDS.finditer(text):
        value = _value_of_words(match["words"])
        if value is not None:
            quantity = Quantity(
                value=value,
                form="percent" if match["percent"] else "cardinal",
                significant=1 if value >= 100 else len(str(int(value))),
                is_word=True,
            )
            yield match.start(), match.end(), quantity
    for match in ORDINAL_WORDS.finditer(text):
        tens = _TENS[match["tens"].lower()] if match["tens"] else 0
        value = tens + _ORDINALS[match["ordinal"].lower()]
        yield match.start(), match.end(), Quantity(value=value, form="ordinal", is_word=True)


def _value_of_words(text: str) -> float | None:
    """Return the value of number words; None for a lone scale or "one".

    >>> _value_of_words("two hundred and five"), _value_of_words("twenty-one")
    (205.0, 21.0)
    """
    parts = re.findall(r"[a-z]+", text.lower())
    if parts in (["one"], ["zero"]) or (len(parts) == 1 and parts[0] in _SCALES):
        return None
    total = current = 0.0
    for part in parts:
        if part in _ONES:
            current += _ONES[part]
        elif part in _TENS:
            current += _TENS[part]
        elif part in ("hundred", "dozen"):
            current = (current or 1.0) * _SCALES[part]
        elif part in _SCALES:
            total += (current or 1.0) * _SCALES[part]
            current = 0.0
    return total + current
