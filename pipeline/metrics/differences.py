"""Whether two systems differ: a paired test over the passages that both have revised."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from pipeline.metrics.inference import FEWEST_CLUSTERS, REL_TOL, Estimate

Key = TypeVar("Key")


class Lead(NamedTuple):
    """One row's figure less another's."""

    estimate: Estimate | None
    """-1.0 to 1.0; None where no passage has both."""
    p: float | None
    """By `paired_p`; None where it gives none."""


NO_LEAD = Lead(None, None)


def paired_p(differences: Sequence[float], weights: Sequence[float] | None = None) -> float | None:
    """The two-sided p of Student's paired t test, from each passage's difference.

    `weights` are one over each passage's chance of being drawn, if these differ.

    It is below 0.05 exactly where the 95 % interval of the mean difference, as
    `pipeline.metrics.inference.ratio_estimate` gives it, leaves 0 out. Where all passages differ by
    the same amount, there is no spread to measure the mean by: p is then of the exact sign test,
    2 (1/2)^n. 1.0 where no passage differs. None for fewer than `FEWEST_CLUSTERS` passages, which
    have no interval either.

    >>> round(paired_p([0.1, 0.2, 0.3, 0.4, 0.5]), 4)
    0.0132
    >>> paired_p([0.0] * 6), paired_p([0.5] * 6), paired_p([0.5] * 4)
    (1.0, 0.03125, None)
    """
    from scipy.special import stdtr

    n = len(differences)
    if n < FEWEST_CLUSTERS:
        return None
    if max(differences) - min(differences) <= REL_TOL:
        return 2 * 0.5**n if abs(differences[0]) > REL_TOL else 1.0
    weights = weights or [1.0] * n
    total = math.fsum(weights)
    mean = math.fsum(w * each for w, each in zip(weights, differences, strict=True)) / total
    squares = math.fsum(
        (n * w * (each - mean) / total) ** 2 for w, each in zip(weights, differences, strict=True)
    )
    error = math.sqrt(squares / (n - 1) / n)
    return 2 * float(stdtr(n - 1, -abs(mean) / error))


def holm(values: Sequence[float | None]) -> list[float | None]:
    """The p of several tests, adjusted by Holm's method so that they can be read together.

    Calling those below 0.05 differences is wrong about any of them in at most 5 % of tables. A
    test that could not be made stays None and is not counted among them.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    known = sorted((value, place) for place, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (value, place) in enumerate(known):
        highest = max(highest, min(1.0, value * (len(known) - rank)))
        adjusted[place] = highest
    return adjusted


def with_holm(rows: Sequence[Mapping[str, Lead]]) -> list[dict[str, Lead]]:
    """The leads of each row by their figures' names, with the p of each figure adjusted for all
    rows.

    >>> with_holm([{"f1": Lead(None, 0.03)}, {}, {"f1": Lead(None, 0.02)}])[2]["f1"].p
    0.04
    """
    adjusted = {
        name: holm([row.get(name, NO_LEAD).p for row in rows])
        for name in {name for row in rows for name in row}
    }
    return [
        {name: lead._replace(p=adjusted[name][place]) for name, lead in row.items()}
        for place, row in enumerate(rows)
    ]


def leading(
    figures: Mapping[Key, float], lead: Callable[[Key, Key], Estimate | None]
) -> frozenset[Key]:
    """The key of the highest figure, and those whose paired difference from it can be nothing.

    `lead(one, other)` estimates the figure of `one` less that of `other` over the passages that
    both have; None where they share none, and then nothing is told of `one`.

    >>> def lead(one, other):
    ...     return Estimate(value=-0.1, n=9, low=-0.3, high=0.1 if one == "near" else -0.05)
    >>> sorted(leading({"best": 0.6, "near": 0.5, "far": 0.5}, lead))
    ['best', 'near']
    """
    if not figures:
        return frozenset()
    best = max(figures, key=lambda key: figures[key])
    return frozenset(
        key
        for key in figures
        if key == best or ((behind := lead(key, best)) and _highest(behind) >= 0)
    )


def _highest(estimate: Estimate) -> float:
    if estimate.high is not None:
        return estimate.high
    # Of few passages nothing can be said; of many that differ by the same amount, that amount.
    return math.inf if estimate.n < FEWEST_CLUSTERS else estimate.value
