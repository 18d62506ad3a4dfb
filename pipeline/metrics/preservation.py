"""Preservation of the original text: Pres of the RARR paper, section 2.2."""

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein


def preservation_levenshtein(original: str, revised: str) -> float | None:
    """Pres_Lev, equation 3: `max(1 - Lev(x, y) / len(x), 0)`, from 0.0 to 1.0.

    Lev counts inserted, deleted and replaced code points. None for an empty original.

    >>> preservation_levenshtein("born in 1950", "born in 1952")
    0.9166666666666666
    >>> preservation_levenshtein("no", "a text that has grown"), preservation_levenshtein("", "new")
    (0.0, None)
    """
    if not original:
        return None
    return max(1 - Levenshtein.distance(original, revised) / len(original), 0.0)


def preservation_combined(intent: float | None, levenshtein: float | None) -> float | None:
    """Pres_comb, equation 4: Pres_intent times Pres_Lev, from 0.0 to 1.0.

    `intent` is that of `preservation_intent`. None where either is None.

    >>> [preservation_combined(intent, 0.9) for intent in (1.0, 0.0, None)]
    [0.9, 0.0, None]
    """
    if intent is None or levenshtein is None:
        return None
    return intent * levenshtein


def preservation_intent(levels: Sequence[int]) -> float | None:
    """Pres_intent, section 2.2: the share of raters who find the intents very similar.

    `levels` are their answers: 0 not at all, 1 somewhat, 2 very similar. None without an answer.
    """
    if not levels:
        return None
    return sum(level == 2 for level in levels) / len(levels)
