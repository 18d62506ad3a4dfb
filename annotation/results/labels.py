"""From what raters said to the labels of a dataset: 1, 0, or None where nothing is settled.

docs/export.md has the rules. A manifest names their version, so that two files can be told apart
when a rule has changed: raise `RULES` with every change.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

RULES = 5

Label = int | None

SETTLED = "settled"
MAJORITY = "majority"
ADJUDICATED = "adjudicated"
ALL = "all"
RESOLUTIONS: dict[str, str] = {
    SETTLED: "adjudicated where somebody settled it, else what most raters said",
    MAJORITY: "what most raters said, whatever was settled",
    ADJUDICATED: "what all raters said; where they differ, only what somebody settled",
    ALL: "as settled, with every rater’s own label beside it",
}
"""How the answers of several raters become one label. A tie is null in each of them."""


def majority(votes: Iterable[bool]) -> Label:
    """1 or 0, whichever more raters said; None for a tie, and where nobody said anything.

    >>> majority([True, True, False]), majority([True, False]), majority([])
    (1, None, None)
    """
    said = list(votes)
    balance = 2 * sum(said) - len(said)
    return None if balance == 0 else int(balance > 0)


def most_said(levels: Iterable[int]) -> int | None:
    """The level that more raters chose than any other; None for a tie and without an answer.

    >>> most_said([2, 2, 0]), most_said([2, 0]), most_said([])
    (2, None, None)
    """
    levels = list(levels)
    if levels and levels.count(levels[0]) == len(levels):  # mostly so, and much faster
        return levels[0]
    ranked = Counter(levels).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def any_label(sentences: Sequence[Label]) -> Label:
    """An answer's `informative`: 1 if any sentence is 1, 0 if every sentence is 0 (HAGRID 3.4).

    None while none is 1 and one is open, and for an answer without sentences.

    >>> any_label([0, 1, None]), any_label([0, 0]), any_label([0, None]), any_label([])
    (1, 0, None, None)
    """
    if any(label == 1 for label in sentences):
        return 1
    return 0 if sentences and all(label == 0 for label in sentences) else None


def answer_label(sentences: Sequence[Label]) -> Label:
    """An answer's `attributable`: 1 if every sentence is 1, 0 if any is 0 (HAGRID 3.4).

    None while a sentence is open and none is 0, and for an answer without sentences.

    >>> answer_label([1, 1]), answer_label([1, None]), answer_label([None, 0]), answer_label([])
    (1, None, 0, None)
    """
    if any(label == 0 for label in sentences):
        return 0
    return 1 if sentences and all(label == 1 for label in sentences) else None


OF_ANSWER = {"informative": any_label, "attributable": answer_label}
"""How the labels of an answer's sentences make its own."""
