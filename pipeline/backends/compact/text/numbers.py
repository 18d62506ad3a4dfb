"""Numbers as people write them: digits, words, scales, percent, money, ordinals."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ONES = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
    "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
    "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13,
    "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18,
    "nineteenth": 19, "twentieth": 20,
}  # fmt: skip
_SCALES = {
    "hundred": 1e2, "dozen": 12.0, "thousand": 1e3, "million": 1e6, "billion": 1e9,
    "trillion": 1e12, "bn": 1e9,
}  # fmt: skip

# "100k followers", "$1.2m", "3bn": letters that stand at the digits themselves.
_SUFFIXES = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9, "tn": 1e12}

_SMALL = "|".join(sorted({**_ONES, **_TENS}, key=len, reverse=True))
_SCALE = "|".join(_SCALES)
NUMBER = re.compile(
    r"(?<![\w.,/])(?P<money>(?:US|A|C)?[$€£¥₹]\s?)?"
    r"(?P<digits>\d{1,3}(?:,\d{2,3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:(?P<ordinal>st|nd|rd|th)\b|(?P<percent>\s?(?:%|per\s?cent\b))"
    rf"|[ \-](?P<scale>{_SCALE})s?\b|(?P<suffix>k|mn?|bn?|tn)\b)?"
    r"(?![\d]|,\d|\.\d)",
    re.IGNORECASE,
)
WORDS = re.compile(
    rf"\b(?P<words>(?:(?:{_SMALL}|{_SCALE})(?:[ \-]|\s+and\s+)?)*(?:{_SMALL}|{_SCALE}))\b"
    r"(?P<percent>\s+per\s?cent\b)?",
    re.IGNORECASE,
)
ORDINAL_WORDS = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})-)?(?P<ordinal>{'|'.join(_ORDINALS)})\b", re.IGNORECASE
)
_APPROXIMATE = re.compile(
    r"(?:about|around|approximately|roughly|nearly|almost|over|above|under|some|circa|c\.|ca\."
    r"|estimated|more than|less than|fewer than|at least|at most|up to|close to|as many as|~)\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number's value and the way it is meant."""

    value: float
    form: str
    """cardinal, ordinal, percent or money"""
    is_approximate: bool = False
    significant: int = 0
    """Leading digits that the writer chose to give; trailing zeros of whole numbers are not."""
    is_word: bool = False

    def agrees_with(self, other: "Quantity") -> bool:
        """Whether one may be the other, rounded as its writer rounded."""
        if self.value == other.value:
            return True
        if "ordinal" in (self.form, other.form) or 0 in (self.value, other.value):
            return False
        if self.is_approximate and abs(self.value - other.value) <= 0.1 * max(
            abs(self.value), abs(other.value)
        ):
            return True
        return _rounds_to(other.value, self) or _rounds_to(self.value, other)


def _rounds_to(value: float, rounded: Quantity) -> bool:
    """Whether `value` to the rounded number's own precision is the rounded number."""
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
    """Whether letters at a number multiply it: "5m" is five metres, "$5m" five million."""
    return suffix in ("k", "K", "bn", "Bn", "BN", "mn", "tn", "M") or is_money


def find_quantities(text: str) -> Iterator[tuple[int, int, Quantity]]:
    """(start, end, quantity) of each number in digits or words; may overlap, digits first."""
    for match in NUMBER.finditer(text):
        digits = match["digits"]
        scale = _SCALES[match["scale"].lower()] if match["scale"] else 1.0
        end = match.end()
        if match["suffix"] and _is_scale(match["suffix"], bool(match["money"])):
            scale = _SUFFIXES[match["suffix"].lower()]
        elif match["suffix"]:
            end = match.end("digits")
        form = (
            "money" if match["money"] else "ordinal" if match["ordinal"]
            else "percent" if match["percent"] else "cardinal"
        )  # fmt: skip
        yield (
            match.start(),
            end,
            Quantity(
                value=float(digits.replace(",", "")) * scale,
                form=form,
                is_approximate=bool(
                    _APPROXIMATE.search(text, max(0, match.start() - 16), match.start())
                ),
                significant=_significant(digits, scale > 1),
            ),
        )
    for match in WORDS.finditer(text):
        value = _value_of_words(match["words"])
        if value is not None:
            yield (
                match.start(),
                match.end(),
                Quantity(
                    value=value,
                    form="percent" if match["percent"] else "cardinal",
                    is_approximate=bool(
                        _APPROXIMATE.search(text, max(0, match.start() - 16), match.start())
                    ),
                    significant=1 if value >= 100 else len(str(int(value))),
                    is_word=True,
                ),
            )
    for match in ORDINAL_WORDS.finditer(text):
        tens = _TENS[match["tens"].lower()] if match["tens"] else 0
        value = tens + _ORDINALS[match["ordinal"].lower()]
        yield match.start(), match.end(), Quantity(value=value, form="ordinal", is_word=True)


def _value_of_words(text: str) -> float | None:
    """The value of number words; None for a lone scale or "one", which mostly count nothing.

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
