"""Validation of names that users enter."""

import unicodedata

from django.core.exceptions import ValidationError

# Control and format characters, surrogates, line ends.
_REFUSED = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# For Persian, Indic languages and emoji.
_JOINERS = "\u200c\u200d"
# Blank characters in the categories of letters and symbols.
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"


def name_error(name: str) -> str:
    """Return why the name is refused; "" if it is valid.

    >>> name_error("Zoë’s 河"), name_error("می\u200cخواهم")
    ('', '')
    >>> name_error("a\u202eb")
    'The name contains an invisible character (U+202E): remove it.'
    >>> name_error("\u3164")
    'The name has no visible character: write another.'
    """
    for each in name:
        if unicodedata.category(each) in _REFUSED and each not in _JOINERS:
            code = f"U+{ord(each):04X}"
            return f"The name contains an invisible character ({code}): remove it."
    if any(each not in _BLANK and unicodedata.category(each)[0] in "LNPS" for each in name):
        return ""
    return "The name has no visible character: write another."


def check_name(name: str) -> None:
    if error := name_error(name):
        raise ValidationError(error)
