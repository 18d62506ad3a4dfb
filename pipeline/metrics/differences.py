"""Paired differences between systems, over the passages that both have revised."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from pipeline.metrics.inference import FEWEST_CLUSTERS, REL_TOL, Estimate, ratio_spread

Key = TypeVar("Key")


class Lead(NamedTuple):
    """One row's figure less another's."""

    estimate: Estimate | None
    """-1.0 to 1.0; None where no passage has both."""
    p: float | None
    """By `paired_p`."""


NO_LEAD = Lead(None, None)


def paired_p(
    differences: Sequence[float],
    weights: Sequence[float] | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> float | None:
    """The two-sided p of Student's paired t test, from each passage's difference.

    `weights` and `clusters` are those of `ratio_estimate`: p is below 0.05 exactly where its
    interval excludes 0. Equal differences have no spread: p is the exact sign test's, 2 (1/2)^n,
    or 1.0 where there is none. None for fewer than `FEWEST_CLUSTERS` clusters.

    >>> round(paired_p([0.1, 0.2, 0.3, 0.4, 0.5]), 4)
    0.0132
    >>> paired_p([0.0] * 6), paired_p([0.5] * 6), paired_p([0.5] * 4)
    (1.0, 0.03125, None)
    """
    from scipy.special import stdtr

    spread = ratio_spread(differences, weights=weights, clusters=clusters)
    if spread is None:
        return None
    n, mean, deviation = spread
    if n < FEWEST_CLUSTERS or deviation is None:
        return None
    if deviation <= REL_TOL:
        return 2 * 0.5**n if abs(mean) > REL_TOL else 1.0
    return 2 * float(stdtr(n - 1, -abs(mean) / deviation * math.sqrt(n)))


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Adjust the p of several tests by Holm's method; None stays None and counts as no test.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    known = sorted((value, index) for index, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (value, index) in enumerate(known):
        highest = max(highest, min(1.0, value * (len(known) - rank)))
        adjusted[index] = highest
    return adjusted


def with_holm(rows: Sequence[Mapping[str, Lead]]) -> list[dict[str, Lead]]:
    """Adjust the p of each figure for all rows; rows are leads by the figures' names.

    >>> with_holm([{"f1": Lead(None, 0.03)}, {}, {"f1": Lead(None, 0.02)}])[2]["f1"].p
    0.04
    """
    adjusted = {
        name: holm([row.get(name, NO_LEAD).p for row in rows])
        for name in {name for row in rows for name in row}
    }
    return [
        {name: lead._replace(p=adjusted[name][index]) for name, lead in row.items()}
        for index, row in enumerate(rows)
    ]


def leading(
    figures: Mapping[Key, float], lead: Callable[[Key, Key], Estimate | None]
) -> frozenset[Key]:
    """The keys of the best figure and of those not significantly worse; none if that is all.

    `lead(one, other)` estimates the figure of `one` less that of `other`; None where they share
    no passage, and then `one` is not included.

    >>> def lead(one, other):
    ...     return Estimate(value=-0.1, n=9, low=-0.3, high=0.1 if one == "near" else -0.05)
    >>> sorted(leading({"best": 0.6, "near": 0.5, "far": 0.5}, lead))
    ['best', 'near']
    >>> leading({"best": 0.6, "near": 0.5}, lead)
    frozenset()
    """
    leaders = frozenset(
        key
        for best in sorted(figures, key=lambda key: figures[key])[-1:]
        for key in figures
        if key == best or ((behind := lead(key, best)) and _highest(behind) >= 0)
    )
    return leaders if leaders < figures.keys() else frozenset()


def _highest(estimate: Estimate) -> float:
    if estimate.high is not None:
        return estimate.high
    # Without an interval: unknown for few passages, exact for many equal differences.
    return math.inf if estimate.n < FEWEST_CLUSTERS else estimate.value
