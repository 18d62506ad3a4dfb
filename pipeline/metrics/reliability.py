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
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pipeline.metrics.inference import interval_note
from pipeline.metrics.resampling import Figure, Values, resampled_estimate, sums_of_clusters

Answers = Mapping[str, int]
"""Rater to answer, about one target."""

Row = TypeVar("Row", bound=tuple[int, ...])
Pattern = tuple[int, ...]
"""The number of raters who chose each category of one target."""

NOTHING_SHARED = "No target has answers of two raters."
ALL_THE_SAME = "All answers that can be compared are the same: chance would agree as well."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """One figure, at most 1.0; 0.0 is chance, but for raw agreement."""

    value: float | None
    low: float | None = None
    high: float | None = None
    targets: int = 0
    """Compared targets."""
    passages: int = 0
    """Passages of these targets."""
    undefined: int = 0
    """As in `Estimate`, as is `resamples`."""
    resamples: int = 0
    dropped: int = 0
    """Targets with answers of one rater only."""
    why: str = ""
    """Why the figure is undefined."""

    @property
    def note(self) -> str:
        """As `interval_note`; empty for an undefined figure."""
        if self.value is None:
            return ""
        return interval_note(
            self.low is not None,
            self.passages,
            "passages",
            undefined=self.undefined,
            resamples=self.resamples,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityReport:
    """All figures of one criterion; Cohen's kappa by pairs of raters."""

    raw: Reliability
    alpha_nominal: Reliability
    alpha_ordinal: Reliability
    fleiss_kappa: Reliability
    gwet_ac1: Reliability
    cohen_kappa: Mapping[tuple[str, str], Reliability]


def reliability(
    answers: Sequence[Answers], *, categories: int, passages: Sequence[int] | None = None
) -> ReliabilityReport:
    """Compute every figure; `answers` has a mapping for each target.

    `passages` are the targets', by default one each. Raises ValueError for fewer than two
    `categories` and for answers out of range.
    """
    placed = list(zip(range(len(answers)) if passages is None else passages, answers, strict=True))
    patterns = Counter((passage, _pattern(given, categories)) for passage, given in placed)
    result = reliability_of_patterns(patterns, categories=categories)
    kappas = {}
    for one, other in combinations(sorted({rater for given in answers for rater in given}), 2):
        table = Counter(
            (passage, (given[one], given[other]))
            for passage, given in placed
            if one in given and other in given
        )
        either = sum(one in given or other in given for given in answers)
        kappas[one, other] = cohen_kappa_of_table(
            table, categories=categories, dropped=either - table.total()
        )
    return replace(result, cohen_kappa=kappas)


def reliability_of_patterns(
    patterns: Mapping[tuple[int, Pattern], int], *, categories: int
) -> ReliabilityReport:
    """Compute `reliability` of counted targets, without Cohen's kappas.

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
        return _figure(
            statistic,
            sums,
            targets=shared,
            passages=of_shared,
            dropped=dropped,
            why="" if shared else NOTHING_SHARED,
            lowest=0.0 if statistic is raw_agreement else -1.0,
        )

    return ReliabilityReport(
        raw=figure(raw_agreement),
        alpha_nominal=figure(alpha_nominal),
        alpha_ordinal=figure(alpha_ordinal),
        fleiss_kappa=figure(fleiss_kappa),
        gwet_ac1=figure(gwet_ac1),
        cohen_kappa={},
    )


def cohen_kappa_of_table(
    table: Mapping[tuple[int, tuple[int, int]], int], *, categories: int, dropped: int = 0
) -> Reliability:
    """Compute Cohen's kappa of two raters.

    `table` maps (passage, pair of answers) to the number of targets, `dropped` is the number that
    one of the two judged. Raises ValueError for answers out of range.
    """
    for _, pair in table:
        if not all(0 <= answer < categories for answer in pair):
            raise ValueError(f"The answers {pair} are not from 0 to {categories - 1}.")
    passages, pairs, times = _columns(table, 2)
    cells = np.zeros((len(pairs), categories * categories))
    columns = pairs.astype(np.int64) @ (categories, 1)
    cells[np.arange(len(pairs)), columns] = times
    sums = sums_of_clusters(cells, passages)

    def statistic(sums: Values) -> Values:
        counts = sums.reshape(-1, categories, categories)
        total = counts.sum(axis=(1, 2))
        observed = _divided(np.trace(counts, axis1=1, axis2=2), total)
        chance = _divided((counts.sum(axis=1) * counts.sum(axis=2)).sum(axis=1), total**2)
        return _beyond_chance(observed, chance)

    why = "" if len(sums) else "The two raters have no target in common."
    return _figure(
        statistic,
        sums,
        targets=int(times.sum()),
        passages=len(sums),
        dropped=dropped,
        why=why,
        lowest=-1.0,
    )


def _columns(
    counted: Mapping[tuple[int, Row], int], size: int
) -> tuple[NDArray[np.int64], Values, NDArray[np.int64]]:
    """The passages, numbered from 0, the rows (n, `size`), and the counts above 0, sorted."""
    ordered = sorted(key for key, times in counted.items() if times)
    numbers = np.unique([passage for passage, _ in ordered], return_inverse=True)[1]
    rows = np.array([row for _, row in ordered], dtype=float).reshape(-1, size)
    times = np.array([counted[key] for key in ordered], dtype=np.int64)
    return numbers.astype(np.int64), rows, times


def _pattern(given: Answers, categories: int) -> Pattern:
    """Count the raters who chose each category; raises ValueError."""
    counts = Counter(given.values())
    for answer in counts:
        if not 0 <= answer < categories:
            raise ValueError(f"The answer {answer} is not from 0 to {categories - 1}.")
    return tuple(counts[category] for category in range(categories))


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
    result = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=result, where=np.abs(below) > 1e-12)
    return result


def _figure(
    statistic: Figure,
    sums: Values,
    *,
    targets: int,
    passages: int,
    dropped: int,
    why: str,
    lowest: float,
) -> Reliability:
    result = None
    if not why:
        result = resampled_estimate(statistic, sums, n=targets, lowest=lowest, clusters=passages)
    if result is None:
        return Reliability(
            value=None, targets=targets, passages=passages, dropped=dropped, why=why or ALL_THE_SAME
        )
    return Reliability(
        value=result.value,
        low=result.low,
        high=result.high,
        targets=targets,
        passages=passages,
        dropped=dropped,
        undefined=result.undefined,
        resamples=result.resamples,
    )
