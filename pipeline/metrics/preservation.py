"""Preservation of the original text: Pres of the RARR paper, section 2.2."""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein


def preservation_levenshtein(original: str, revised: str) -> float | None:
    """Pres_Lev, equation 3: `max(1 - Lev(x, y) / len(x), 0)`, from 0.0 to 1.0.

    Lev counts inserted, deleted and replaced code points. None for an empty original.

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

    `intent` is that of `preservation_intent`. None where either is None.

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
    """Figures of one pair of texts, 0.0 to 1.0."""

    intent: float | None
    levenshtein: float | None
    combined: float | None


def preservation_intent(levels: Sequence[int]) -> float | None:
    """Pres_intent, section 2.2: the share of raters who find the intents very similar.

    `levels` are their answers: 0 not at all, 1 somewhat, 2 very similar. None without an answer.
    """
    if not levels:
        return None
    return sum(level == 2 for level in levels) / len(levels)


def preservation(original: str, revised: str, intent_levels: Sequence[int]) -> Preservation:
    """Compute the figures of one pair from its texts and its raters' answers.

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
