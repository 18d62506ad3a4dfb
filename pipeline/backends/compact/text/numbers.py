"""Numbers in digits and words, and digits that are no number: COVID-19, 3D, list items."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.backends.compact.text.dates import MONTHS
from pipeline.backends.compact.text.words import mask_matches, word_set


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
_SCALES = {"hundred": 1e2, "dozen": 12.0, "thousand": 1e3, "million": 1e6}
_SCALES |= {"billion": 1e9, "trillion": 1e12, "bn": 1e9}

# "100k followers", "$1.2m", "3bn"
_SUFFIX_SCALES = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9, "tn": 1e12}
_SCALE_SUFFIXES = frozenset(["k", "K", "bn", "Bn", "BN", "mn", "tn", "M"])
"""Suffixes that are never units."""

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

_HYPHENS = "-\u2010\u2011"
# Numbers in spite of "mid-", "under-", "May-".
_BEFORE_A_NUMBER = word_set(
    """mid pre post early late then now under over top sub non circa about around nearly almost
    roughly some to of by in at on from until till since per than and or plus minus age aged all
    every first last final best least most only another number no"""
) | frozenset(name for month in MONTHS for name in (month.lower(), month[:3].lower()))
_LONGEST_WORD = 40
_JOINED_BEFORE = re.compile(rf"([^\W\d_][\w.'’]{{0,{_LONGEST_WORD}}})[{_HYPHENS}]$")
_JOINED_AFTER = re.compile(r"[A-Z][A-Za-z]*")
# "5GB", "3M people", "10PM", unlike 5G, 3D and 2Pac.
_UNITS = word_set(
    """KB MB GB TB PB Kb Mb Gb Tb KiB MiB GiB TiB Mbps Gbps Hz MHz GHz THz W MW GW TW Wh MWh GWh
    TWh V A C F N J L X K M B T Mt Gt Nm Pa MPa GPa MP HP MPH KM KG AM PM BC BCE AD CE Mn Bn MN BN
    USD EUR GBP CAD AUD RMB"""
)
_ITEM = r"[ \t>*_#\-•]*\(?\d{1,2}[.)]"
_LIST_NUMBER = re.compile(
    rf"^{_ITEM}(?=[ \t]+\S)(?![ \t]+(?:{'|'.join(month[:3] for month in MONTHS)}))"
    rf"|(?<=\n){_ITEM}[ \t]*\Z",
    re.MULTILINE,
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


def find_quantities(text: str) -> Iterator[tuple[int, int, Quantity]]:
    """Yield (start, end, quantity) of numbers in digits, then in words; they may overlap."""
    for match in NUMBER.finditer(text):
        digits = match["digits"]
        scale = _SCALES[match["scale"].lower()] if match["scale"] else 1.0
        end = match.end()
        # "5m" is five metres, "$5m" five million.
        if match["suffix"] in _SCALE_SUFFIXES or (match["suffix"] and match["money"]):
            scale = _SUFFIX_SCALES[match["suffix"].lower()]
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


def with_digits(letters: str) -> str:
    """The pattern of `letters`, perhaps with joined digits."""
    narrowing = "|".join(sorted(_BEFORE_A_NUMBER))
    return rf"(?!(?i:{narrowing})[{_HYPHENS}]){letters}(?:[{_HYPHENS}]\d\w*)*"


def is_in_word(text: str, start: int, end: int, *, is_year: bool) -> bool:
    """Check whether the digits `text[start:end]` are part of a word.

    >>> is_in_word("Cases of COVID-19 rose.", 15, 17, is_year=False)
    True
    """
    if not text[end - 1].isdigit():
        return False  # "5 %", "3rd", "1990s"
    before = _JOINED_BEFORE.search(text, max(0, start - _LONGEST_WORD), start)
    if before and before[1].lower() not in _BEFORE_A_NUMBER:
        # "spring-1990"
        return not is_year or before[1][:1].isupper()
    after = _JOINED_AFTER.match(text, end)
    return after is not None and after[0] not in _UNITS


def without_list_numbers(text: str) -> str:
    """Replace the numbers of list items with spaces.

    >>> without_list_numbers("1. It has 12 windows.")
    '   It has 12 windows.'
    """
    return mask_matches(text, _LIST_NUMBER)
