"""Inter-rater reliability.

Answers are categories 0 to q - 1, in order for ordinal figures:

- raw agreement: the share of equal pairs of answers about one target;
- Krippendorff's alpha, nominal and ordinal (Krippendorff 2011, "Computing Krippendorff's
  alpha-reliability");
- Fleiss' kappa and Gwet's AC1 (Gwet 2014, "Handbook of inter-rater reliability", chapters 2 and
  5): chance is by all answers, also those alone about a target, so kappa can be below -1;
- Cohen's kappa of two raters (Cohen 1960).

Intervals are jackknifed over passages. An undefined figure is None, with the reason.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pipeline.metrics.inference import Estimate
from pipeline.metrics.resampling import Figure, Values, resampled_estimate, sums_of_clusters

Row = TypeVar("Row", bound=tuple[int, ...])
Pattern = tuple[int, ...]
"""The number of raters who chose each category of one target."""
Table = Mapping[tuple[int, tuple[int, int]], int]
"""Maps (passage, answers of two raters) to the number of targets."""

NOTHING_SHARED = "No target has answers of two raters."
ALL_THE_SAME = "All compared answers are the same."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """One figure, at most 1.0; 0.0 is chance, but for raw agreement."""

    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    """Why a defined figure has no interval."""
    targets: int
    """Compared targets."""
    dropped: int
    """Targets with answers of one rater only."""
    why: str = ""
    """Why the figure is undefined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityReport:
    """All figures of one criterion but Cohen's kappa, which is of two raters."""

    raw: Reliability
    alpha_nominal: Reliability
    alpha_ordinal: Reliability
    fleiss_kappa: Reliability
    gwet_ac1: Reliability


def reliability_of_patterns(
    patterns: Mapping[tuple[int, Pattern], int], *, categories: int
) -> ReliabilityReport:
    """Compute every figure of counted targets.

    `patterns` maps (passage, pattern) to the number of targets. Raises ValueError for fewer than
    two `categories` and for patterns of another length.
    """
    if categories < 2:
        raise ValueError(f"{categories} categories: there must be two or more.")
    for _, pattern in patterns:
        if len(pattern) != categories:
            raise ValueError(f"{pattern} is no count of {categories} categories.")
    passages, rows, times = _columns(patterns, categories)
    raters = rows.sum(axis=1)
    is_shared = raters >= 2
    shared, dropped = int(times[is_shared].sum()), int(times[raters == 1].sum())
    of_shared = len(np.unique(passages[is_shared]))
    sums = sums_of_clusters(times[:, None] * _terms(rows), passages)

    def figure(statistic: Figure) -> Reliability:
        lowest = 0.0 if statistic is raw_agreement else -1.0
        estimate = resampled_estimate(statistic, sums, n=shared, lowest=lowest, clusters=of_shared)
        return _reliability(estimate, shared, dropped, ALL_THE_SAME if shared else NOTHING_SHARED)

    return ReliabilityReport(
        raw=figure(raw_agreement),
        alpha_nominal=figure(alpha_nominal),
        alpha_ordinal=figure(alpha_ordinal),
        fleiss_kappa=figure(fleiss_kappa),
        gwet_ac1=figure(gwet_ac1),
    )


def cohen_kappa_of_table(table: Table, *, categories: int, dropped: int = 0) -> Reliability:
    """Compute Cohen's kappa of two raters; `dropped` targets were judged by one of the two."""
    shared = sum(table.values())
    why = ALL_THE_SAME if shared else "The two raters have no target in common."
    return _reliability(cohen_kappa(table, categories=categories), shared, dropped, why)


def cohen_kappa(table: Table, *, categories: int) -> Estimate | None:
    """Estimate Cohen's kappa; None where chance would agree as well.

    Raises ValueError for answers out of range.
    """
    for _, pair in table:
        if not all(0 <= answer < categories for answer in pair):
            raise ValueError(f"The answers {pair} are not from 0 to {categories - 1}.")
    passages, pairs, times = _columns(table, 2)
    cells = np.zeros((len(pairs), categories * categories))
    columns = pairs.astype(np.int64) @ (categories, 1)
    cells[np.arange(len(pairs)), columns] = times

    def statistic(sums: Values) -> Values:
        counts = sums.reshape(-1, categories, categories)
        total = counts.sum(axis=(1, 2))
        observed = _divided(np.trace(counts, axis1=1, axis2=2), total)
        chance = _divided((counts.sum(axis=1) * counts.sum(axis=2)).sum(axis=1), total**2)
        return _beyond_chance(observed, chance)

    sums = sums_of_clusters(cells, passages)
    return resampled_estimate(statistic, sums, n=int(times.sum()), lowest=-1.0)


def _columns(
    counted: Mapping[tuple[int, Row], int], size: int
) -> tuple[NDArray[np.int64], Values, NDArray[np.int64]]:
    """The passages, numbered from 0, the rows (n, `size`), and the counts above 0, sorted."""
    ordered = sorted(key for key, times in counted.items() if times)
    numbers = np.unique([passage for passage, _ in ordered], return_inverse=True)[1]
    rows = np.array([row for _, row in ordered], dtype=float).reshape(-1, size)
    times = np.array([counted[key] for key in ordered], dtype=np.int64)
    return numbers.astype(np.int64), rows, times


def _terms(counts: Values) -> Values:
    """(n, 3 + q + q²): what each target, of counts (n, q), adds to the sums of all figures.

    That is: the share of equal pairs of its answers; 1 if it has a pair; 1 if it has an answer;
    the share of each category; the coincidences of each two categories.
    """
    n, size = counts.shape
    raters = counts.sum(axis=1)
    pairs = raters * (raters - 1)
    agreed = (counts * (counts - 1)).sum(axis=1) / np.maximum(pairs, 1)
    coincidences = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(size)
    coincidences /= np.maximum(raters - 1, 1)[:, None, None]
    return np.concatenate(
        [
            np.stack([agreed, pairs > 0, raters > 0], axis=1),
            counts / np.maximum(raters, 1)[:, None],
            coincidences.reshape(n, size * size),
        ],
        axis=1,
    )


def raw_agreement(sums: Values) -> Values:
    """The mean over targets of the share of equal pairs of answers."""
    return _divided(sums[:, 0], sums[:, 1])


def fleiss_kappa(sums: Values) -> Values:
    return _beyond_chance(raw_agreement(sums), (_shares(sums) ** 2).sum(axis=1))


def gwet_ac1(sums: Values) -> Values:
    shares = _shares(sums)
    chance = (shares * (1 - shares)).sum(axis=1) / (shares.shape[1] - 1)
    return _beyond_chance(raw_agreement(sums), chance)


def alpha_nominal(sums: Values) -> Values:
    size = _categories(sums)
    return _alpha(sums, np.broadcast_to(1 - np.eye(size), (len(sums), size, size)))


def alpha_ordinal(sums: Values) -> Values:
    """Distances are the numbers of answers between two categories, half of theirs included."""
    totals = _coincidences(sums).sum(axis=2)
    middles = np.cumsum(totals, axis=1) - totals / 2
    return _alpha(sums, (middles[:, :, None] - middles[:, None, :]) ** 2)


def _alpha(sums: Values, distance: Values) -> Values:
    coincidences = _coincidences(sums)
    totals = coincidences.sum(axis=2)
    observed = (coincidences * distance).sum(axis=(1, 2))
    expected = (totals[:, :, None] * totals[:, None, :] * distance).sum(axis=(1, 2))
    return 1 - _divided((totals.sum(axis=1) - 1) * observed, expected)


def _categories(sums: Values) -> int:
    """q, from the width of `_terms`."""
    return math.isqrt(sums.shape[1] - 3)


def _coincidences(sums: Values) -> Values:
    size = _categories(sums)
    return sums[:, 3 + size :].reshape(-1, size, size)


def _shares(sums: Values) -> Values:
    """(B, q): the mean over targets of each category's share."""
    return _divided(sums[:, 3 : 3 + _categories(sums)], sums[:, 2:3])


def _beyond_chance(observed: Values, chance: Values) -> Values:
    return _divided(observed - chance, 1 - chance)


def _divided(above: Values, below: Values) -> Values:
    ratio = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=ratio, where=np.abs(below) > 1e-12)
    return ratio


def _reliability(estimate: Estimate | None, targets: int, dropped: int, why: str) -> Reliability:
    if estimate is None:
        return Reliability(value=None, targets=targets, dropped=dropped, why=why)
    return Reliability(
        value=estimate.value,
        low=estimate.low,
        high=estimate.high,
        note=estimate.note(),
        targets=targets,
        dropped=dropped,
    )
