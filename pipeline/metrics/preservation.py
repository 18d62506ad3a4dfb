"""How much of the original text a revision keeps: Pres of the RARR paper, section 2.2."""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein


def preservation_levenshtein(original: str, revised: str) -> float | None:
    """Pres_Lev, equation 3: `max(1 - Lev(x, y) / len(x), 0)`, from 0.0 to 1.0.

    Lev counts characters (Unicode code points) inserted, deleted or replaced. None for an
    empty original: nothing was there to keep.

    >>> preservation_levenshtein("born in 1950", "born in 1952")
    0.9166666666666666
    >>> preservation_levenshtein("no", "a text that has grown")
    0.0
    >>> preservation_levenshtein("", "new") is None
    True
    """
    if not original:
        return None
    return max(1 - Levenshtein.distance(original, revised) / len(original), 0.0)


def preservation_combined(intent: float | None, levenshtein: float | None) -> float | None:
    """Pres_comb, equation 4: Pres_intent times Pres_Lev, from 0.0 to 1.0.

    `intent` is 1.0 where raters say that the original intent is wholly kept, else 0.0 (or
    the share of raters who say so). None where either is unknown.

    >>> preservation_combined(1.0, 0.9)
    0.9
    >>> preservation_combined(0.0, 0.9)
    0.0
    >>> preservation_combined(None, 0.9) is None
    True
    """
    if intent is None or levenshtein is None:
        return None
    return intent * levenshtein


@dataclass(frozen=True, slots=True, kw_only=True)
class Preservation:
    """What a revision keeps of its original, each figure from 0.0 to 1.0."""

    intent: float | None
    """Pres_intent; None where nobody has compared the two."""
    levenshtein: float | None
    """Pres_Lev; None for an empty original."""
    combined: float | None
    """Pres_comb; None where either is."""


def preservation_intent(levels: Sequence[int]) -> float | None:
    """Pres_intent, section 2.2: whether raters say that the original intent is wholly kept.

    `levels` are the answers of one pair's raters on the paper's scale, 0 not at all, 1 somewhat,
    2 very similar. The metric is binary, so "somewhat" keeps nothing; of several raters
    it is the share who say the highest. None without an answer.

    >>> preservation_intent([2]), preservation_intent([1]), preservation_intent([2, 2, 1, 0])
    (1.0, 0.0, 0.5)
    >>> preservation_intent([]) is None
    True
    """
    if not levels:
        return None
    return sum(level == 2 for level in levels) / len(levels)


def preservation(original: str, revised: str, intent_levels: Sequence[int]) -> Preservation:
    """All three figures of one passage and its revision, from what raters said of the pair.

    >>> preservation("born in 1950", "born in 1952", [2, 1]).combined
    0.4583333333333333
    """
    intent = preservation_intent(intent_levels)
    levenshtein = preservation_levenshtein(original, revised)
    return Preservation(
        intent=intent,
        levenshtein=levenshtein,
        combined=preservation_combined(intent, levenshtein),
    )
