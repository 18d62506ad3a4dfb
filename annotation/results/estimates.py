"""Means and shares over the passages that a campaign drew.

Each passage is weighted by one over its chance of being drawn. A passage that several systems
revised counts once: its values are not independent draws, and an interval that treated them as
such would be too narrow.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from pipeline.metrics.inference import (
    Estimate,
    mean_estimate,
    ratio_estimate,
    share_estimate,
    weighted_mean_estimate,
)


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
    if are_repeated(drawn):
        return _ratio(values, [1.0] * len(drawn), drawn, lowest=lowest, highest=highest)
    if not are_weighted(drawn):
        return mean_estimate(list(values), lowest=lowest, highest=highest)
    weights = [each.weight for each in drawn]
    return weighted_mean_estimate(list(values), weights, lowest=lowest, highest=highest)


def share_of(counts: Sequence[tuple[int, int]], drawn: Sequence[Drawn]) -> Estimate | None:
    """The share of `(part, whole)` summed over passages; `n` counts passages.

    The sentences of one passage tend to be alike, so the interval is that of a ratio over
    passages; it is Wilson's where each passage has one thing that is so or not, and, with
    passages as trials, where all things are alike.

    >>> drawn = [Drawn(run=1, passage=key, weight=1.0) for key in range(5)]
    >>> found = share_of([(5, 5), (0, 5), (5, 5), (5, 5), (5, 5)], drawn)
    >>> found.value, found.n, round(found.low, 2)  # 0.61 if the 25 sentences were independent
    (0.8, 5, 0.24)
    """
    parts, wholes = [part for part, _ in counts], [whole for _, whole in counts]
    if are_repeated(drawn) or are_weighted(drawn) or any(whole != 1 for whole in wholes):
        found = _ratio(parts, wholes, drawn, lowest=0, highest=1)
        if found is None or found.n == 1 or 0 < found.value < 1:
            return found
        # All alike: the sample has no spread, which does not say that the passages have none.
        return share_estimate(round(found.value) * found.n, found.n)
    return share_estimate(sum(parts), sum(wholes))


def _ratio(
    parts: Sequence[float],
    wholes: Sequence[float],
    drawn: Sequence[Drawn],
    *,
    lowest: float,
    highest: float,
) -> Estimate | None:
    """A ratio whose units are passages, each with everything that was drawn from it."""
    of_passage: dict[int, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for part, whole, each in zip(parts, wholes, drawn, strict=True):
        had_part, had_whole = of_passage[each.passage]
        of_passage[each.passage] = (had_part + each.weight * part, had_whole + each.weight * whole)
    return ratio_estimate(
        [part for part, _ in of_passage.values()],
        [whole for _, whole in of_passage.values()],
        [1.0] * len(of_passage),
        lowest=lowest,
        highest=highest,
    )
