"""Means and shares over the passages that a campaign drew.

Each passage is weighted by one over its chance of being drawn. A passage that several systems
revised counts once: its values are not independent draws, and an interval that treated them as
such would be too narrow.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pipeline.metrics.inference import Estimate, ratio_estimate


class Drawn(NamedTuple):
    """A revision that a campaign took."""

    run: int
    passage: int
    weight: float
    """One over the chance that it had of being drawn."""


def are_weighted(drawn: Sequence[Drawn]) -> bool:
    """Whether they had unequal chances."""
    return len({each.weight for each in drawn}) > 1


def are_repeated(drawn: Sequence[Drawn]) -> bool:
    """Whether some passage is there more than once."""
    return len({each.passage for each in drawn}) < len(drawn)


def mean_of(
    values: Sequence[float], drawn: Sequence[Drawn], *, lowest: float = 0, highest: float = 1
) -> Estimate | None:
    """The estimated mean over everything that could have been drawn; `n` counts passages.

    >>> two = [Drawn(run=1, passage=1, weight=2.0), Drawn(run=2, passage=1, weight=2.0)]
    >>> found = mean_of([0.0, 1.0], two)
    >>> found.value, found.n
    (0.5, 1)
    """
    return ratio_estimate(
        values,
        weights=[each.weight for each in drawn],
        clusters=[each.passage for each in drawn],
        lowest=lowest,
        highest=highest,
    )


def share_of(counts: Sequence[tuple[int, int]], drawn: Sequence[Drawn]) -> Estimate | None:
    """The share of `(part, whole)` summed over passages; `n` counts passages.

    >>> drawn = [Drawn(run=1, passage=key, weight=1.0) for key in range(5)]
    >>> found = share_of([(5, 5), (0, 5), (5, 5), (5, 5), (5, 5)], drawn)
    >>> found.value, found.n, round(found.low, 2)  # 0.61 if the 25 sentences were independent
    (0.8, 5, 0.24)
    """
    return ratio_estimate(
        [part for part, _ in counts],
        [whole for _, whole in counts],
        weights=[each.weight for each in drawn],
        clusters=[each.passage for each in drawn],
        lowest=0,
        highest=1,
    )
