"""Digits that are no number: COVID-19, 3D, list items."""

import re

from pipeline.backends.compact.text.dates import MONTHS
from pipeline.backends.compact.text.words import mask_matches, word_set

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
