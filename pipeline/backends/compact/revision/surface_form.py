"""Wording of an answer in place of the passage's words."""

import re

from pipeline.backends.compact.text.dates import written_like
from pipeline.backends.compact.text.numbers import Quantity
from pipeline.backends.compact.text.spans import Mention, figures

MOST_SHARED = 20
"""Words shared by an answer and its neighbours."""
# "Jr." may also end the sentence.
_ENDS = re.compile(r"(?<!\s)(?:\s*$|\s+[A-Z])")

_CURRENCY = re.compile(r"^(?:US|A|C)?[$€£¥₹]\s?")
_PERCENT = re.compile(r"\s?(?:%|per\s?cent)$")
_IN_RANGE = re.compile(r"\d{4}[-–]$")
_ARTICLE = re.compile(r"(?<!\w)[Aa](n?) $")
# 8, 11, 18, 1150; spelled letters; most vowels.
_TAKES_AN = re.compile(
    r"8|1[18](?:\d\d)?(?!\d)|[AEFHILMNORSX](?=[A-Z]+\b|\.)"
    r"|(?!U[A-Z.\d]|(?i:eu|one|ukr|u(?:ni|[bcfgrst][aeiou])))(?i:[aeiou]|hour|honou?r|honest|heir)"
)


def new_words(old: str, answer: str, before: str, after: str) -> str:
    """Return the replacement of `old` by the evidence's answer.

    >>> new_words("20", "2019", "It ran in 2018–", ".")
    '19'
    """
    if _IN_RANGE.search(before) and old.isdigit() and len(old) == 2 and answer.isdigit():
        answer = answer[-2:]
    opening = before.rstrip("\"'“‘( ")
    new = write_like(old, answer, opens=not opening or opening[-1] in ".!?\n")
    new = without_neighbours(new, before, after)
    if old.endswith(".") and not new.endswith(".") and _ENDS.match(after):
        new += "."
    return new


def article_for(new: str, before: str, old: str) -> str:
    """Adapt a final "a" or "an" of `before` from `old` to `new`."""
    article = _ARTICLE.search(before)
    if article is None or bool(article[1]) != bool(_TAKES_AN.match(old)):
        return before
    return before[: article.start() + 1] + ("n " if _TAKES_AN.match(new) else " ")


def without_neighbours(new: str, before: str, after: str) -> str:
    """Drop words at an answer's ends that the passage already has there.

    >>> without_neighbours("Fallin' on My Head", "singing 'Fallin' on ", ".")
    'My Head'
    """
    words = _without_start(new.split(" ")[::-1], after.split()[::-1], after[:1] == " ")
    return " ".join(_without_start(words[::-1], before.split(), before[-1:] == " "))


def _without_start(words: list[str], neighbours: list[str], adjoins: bool) -> list[str]:
    mine, theirs = (
        [w.strip(".,;:!?\"'“”‘’()").lower() for w in row] for row in (words, neighbours)
    )
    most = min(len(words) - 1, len(theirs), MOST_SHARED) if adjoins else 0
    return words[next((n for n in range(most, 0, -1) if mine[:n] == theirs[-n:]), 0) :]


def _only(text: str) -> Mention | None:
    """Return the figure that is the text, perhaps but for one character, or None."""
    return next((each for each in figures(text) if each.end - each.start >= len(text) - 1), None)


def write_like(old: str, new: str, *, opens: bool = False) -> str:
    mine, theirs = _only(old), _only(new)
    if mine and theirs and mine.date and theirs.date:
        if mine.date.parts == 1 and mine.date.year is not None and theirs.date.year is not None:
            # "24 BC" keeps its "BC".
            return re.sub(r"\d+", str(abs(theirs.date.year)), old, count=1)
        return written_like(theirs.date, old) or new
    if mine and theirs and mine.quantity and theirs.quantity:
        return _number_like(old, new, mine.quantity, theirs.quantity, opens=opens)
    new = _overlapping_part(old, new)
    if "'" in old:
        new = new.replace("’", "'")
    return new


def _overlapping_part(old: str, new: str) -> str:
    """Return the part of a longer name that corresponds to `old`.

    >>> _overlapping_part("Kings XI Delhi", "Zinta's Kings XI Punjab")
    'Kings XI Punjab'
    >>> _overlapping_part("Hart XI Punjab", "Zinta's Kings XI Punjab")
    'Kings XI Punjab'
    """
    mine, theirs = old.split(" "), new.split(" ")
    ends = [i for i, word in enumerate(theirs, 1) if word.endswith(("'s", "’s"))]
    if ends and mine[-1] == theirs[-1] and len(theirs) - ends[-1] > 1:
        return " ".join(theirs[ends[-1] :])
    if len(theirs) > 2 and theirs[:2] in [mine[i : i + 2] for i in range(1, len(mine))]:
        # "I Want to Go Home Later" for "Go Home Now"
        at = next(i for i in range(1, len(mine)) if mine[i : i + 2] == theirs[:2])
        return " ".join([*mine[:at], *theirs])
    if len(mine) > 1 and mine[0] in theirs[1:]:
        return " ".join(theirs[theirs.index(mine[0], 1) :])
    if len(mine) > 1 and mine[-1] in theirs[:-1]:
        return " ".join(theirs[: theirs.index(mine[-1]) + 1])
    return new


def _number_like(old: str, new: str, mine: Quantity, theirs: Quantity, *, opens: bool) -> str:
    if mine.form == "cardinal" != theirs.form:
        new = _CURRENCY.sub("", _PERCENT.sub("", new))
    elif theirs.form == "cardinal" != mine.form:
        before, after = _CURRENCY.search(old), _PERCENT.search(old)
        new = (before[0] if before else "") + new + (after[0] if after else "")
    if not theirs.is_word:
        return new
    return new[:1].upper() + new[1:] if opens else new[:1].lower() + new[1:]
