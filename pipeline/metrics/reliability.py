"""Reliability: how far raters who judge the same things give the same answers.

Answers are categories of one criterion, numbered from 0 to q - 1; for ordinal figures in their
order. Every figure takes missing answers as they come and says what it could not use:

- raw agreement: how often two answers about one target are the same;
- Krippendorff's alpha, nominal and ordinal (Krippendorff 2011, "Computing Krippendorff's
  alpha-reliability"): targets with two answers or more;
- Fleiss' kappa and Gwet's AC1 for any number of raters a target (Gwet 2014, "Handbook of
  inter-rater reliability", chapters 2 and 5): agreement on targets with two answers or more,
  chance on all answers. So where many targets have one answer, and mostly the same, chance is
  near 1 though those with two differ: kappa then has no lowest value, and can fall below -1;
- Cohen's kappa of two raters (Cohen 1960): targets that both judged.

Each has a percentile bootstrap interval over targets, seeded, so that a page shows the same one
each time. A figure that is not defined is None, with the reason in words; never 0. Resamples in
which the figure is not defined are counted, and the interval is of the others.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pipeline.metrics.exact_sums import Values, counted_sums
from pipeline.metrics.inference import interval_note, known_ends

Times = NDArray[np.int64]
Answers = Mapping[str, int]
"""What each rater, by a name, answered about one target; a rater who did not is left out."""

Statistic = Callable[[Values, Values], Values]
"""Of rows (n, …) and how often each counts (B, n): B figures, nan where there is none. One
matrix product in place of B passes over the data."""

RESAMPLES = 1000
SEED = 20230
NOTHING_SHARED = "No target has answers of two raters."
ALL_THE_SAME = "All answers that can be compared are the same: chance would agree as well."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """One figure: at most 1.0 (all agree); 0.0 is chance, but for raw agreement."""

    value: float | None
    low: float | None = None
    high: float | None = None
    """The 95 % interval; None where the figure is, where half of the resamples have no value, and
    where `pipeline.metrics.inference.known_ends` gives none."""
    targets: int = 0
    """How many targets the agreement rests on."""
    passages: int = 0
    """How many passages these targets are of."""
    undefined: int = 0
    """Resamples in which the figure has no value; the interval is of the others."""
    resamples: int = 0
    """How many were drawn."""
    dropped: int = 0
    """Targets with an answer that were left out, as nobody else judged them."""
    why: str = ""
    """Why there is no figure; empty where there is one."""

    @property
    def note(self) -> str:
        """As `pipeline.metrics.inference.interval_note`; empty where there is no figure."""
        if self.value is None:
            return ""
        return interval_note(
            self.low is not None, self.passages, "passages", undefined=self.undefined,
            resamples=self.resamples,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityReport:
    """All figures of one criterion. Cohen's kappa is by pairs of raters, in their order."""

    raw: Reliability
    alpha_nominal: Reliability
    alpha_ordinal: Reliability
    fleiss_kappa: Reliability
    gwet_ac1: Reliability
    cohen_kappa: Mapping[tuple[str, str], Reliability]


def reliability(
    answers: Sequence[Answers], *, categories: int, resamples: int = RESAMPLES
) -> ReliabilityReport:
    """Every figure for `answers`, one mapping a target.

    Raises ValueError where `categories` is below 2 or an answer is not from 0 to
    `categories` - 1.

    >>> found = reliability([{"a": 1, "b": 1}, {"a": 0, "b": 0}, {"a": 1, "b": 0}], categories=2)
    >>> round(found.raw.value, 3), round(found.alpha_nominal.value, 3)
    (0.667, 0.444)
    """
    patterns = Counter(_pattern(given, categories) for given in answers)
    found = reliability_of_patterns(patterns, categories=categories, resamples=resamples)
    kappas = {}
    for one, other in combinations(sorted({rater for given in answers for rater in given}), 2):
        table = Counter(
            (given[one], given[other]) for given in answers if one in given and other in given
        )
        either = sum(one in given or other in given for given in answers)
        kappas[one, other] = cohen_kappa_of_table(
            table, categories=categories, dropped=either - table.total(), resamples=resamples
        )
    return replace(found, cohen_kappa=kappas)


def reliability_of_patterns(
    patterns: Mapping[tuple[int, ...], int],
    *,
    categories: int,
    passages: int | None = None,
    resamples: int = RESAMPLES,
) -> ReliabilityReport:
    """As `reliability`, of targets that are counted already; without Cohen's kappas.

    `patterns` maps how many raters chose each category to how many targets were answered so:
    a database counts a hundred thousand targets into a few dozen of these, and drawing patterns
    by their shares is drawing the targets one by one. `passages` is how many passages the targets
    with two answers or more are of; without it each is taken for a passage of its own. Raises
    ValueError where a pattern does not have `categories` places, or `categories` is below 2.

    >>> found = reliability_of_patterns({(0, 2): 1, (2, 0): 1, (1, 1): 1}, categories=2)
    >>> round(found.raw.value, 3), round(found.alpha_nominal.value, 3), found.raw.targets
    (0.667, 0.444, 3)
    """
    if categories < 2:
        raise ValueError(f"{categories} categories: there must be two or more.")
    for pattern in patterns:
        if len(pattern) != categories:
            raise ValueError(f"{pattern} is no count of {categories} categories.")
    # In one order whatever the database's: the interval is drawn by it.
    ordered = sorted(pattern for pattern, times in patterns.items() if times)
    rows = np.array(ordered, dtype=float).reshape(-1, categories)
    times = np.array([patterns[pattern] for pattern in ordered], dtype=np.int64)
    raters = rows.sum(axis=1)
    shared, dropped = int(times[raters >= 2].sum()), int(times[raters == 1].sum())

    def figure(statistic: Statistic) -> Reliability:
        return _figure(
            statistic, rows, times, targets=shared, passages=passages, dropped=dropped,
            why="" if shared else NOTHING_SHARED, resamples=resamples,
        )  # fmt: skip

    return ReliabilityReport(
        raw=figure(raw_agreement),
        alpha_nominal=figure(alpha_nominal),
        alpha_ordinal=figure(alpha_ordinal),
        fleiss_kappa=figure(fleiss_kappa),
        gwet_ac1=figure(gwet_ac1),
        cohen_kappa={},
    )


def cohen_kappa_of_table(
    table: Mapping[tuple[int, int], int],
    *,
    categories: int,
    dropped: int = 0,
    passages: int | None = None,
    resamples: int = RESAMPLES,
) -> Reliability:
    """Cohen's kappa of two raters, from how many targets got each pair of their answers.

    `dropped` is how many targets only one of the two judged, `passages` how many passages those of
    both are of; without it each is taken for a passage of its own. Raises ValueError where an
    answer is not from 0 to `categories` - 1.

    >>> table = {(1, 1): 20, (0, 0): 15, (1, 0): 5, (0, 1): 10}
    >>> round(cohen_kappa_of_table(table, categories=2).value, 3)
    0.4
    """
    for pair in table:
        if not all(0 <= answer < categories for answer in pair):
            raise ValueError(f"The answers {pair} are not from 0 to {categories - 1}.")
    # In one order, however the pairs were counted: the interval is drawn by it.
    ordered = sorted((pair for pair, times in table.items() if times), reverse=True)
    cells = np.zeros((len(ordered), categories * categories))
    for row, (first, second) in enumerate(ordered):
        cells[row, first * categories + second] = 1
    times = np.array([table[pair] for pair in ordered], dtype=np.int64)

    def statistic(cells: Values, weights: Values) -> Values:
        counts = counted_sums(weights, cells).reshape(-1, categories, categories)
        total = counts.sum(axis=(1, 2))
        observed = _divided(np.trace(counts, axis1=1, axis2=2), total)
        chance = _divided((counts.sum(axis=1) * counts.sum(axis=2)).sum(axis=1), total**2)
        return _beyond_chance(observed, chance)

    why = "" if ordered else "The two raters have no target in common."
    return _figure(
        statistic, cells, times, targets=int(times.sum()), passages=passages, dropped=dropped,
        why=why, resamples=resamples,
    )  # fmt: skip


def _pattern(given: Answers, categories: int) -> tuple[int, ...]:
    """How many raters chose each category of a target; raises ValueError."""
    counts = Counter(given.values())
    for answer in counts:
        if not 0 <= answer < categories:
            raise ValueError(f"The answer {answer} is not from 0 to {categories - 1}.")
    return tuple(counts[category] for category in range(categories))


def raw_agreement(counts: Values, weights: Values) -> Values:
    """The mean over targets with two answers of the share of pairs of answers that agree."""
    agreed, shared = _agreed(counts)
    return _divided(counted_sums(weights, agreed), counted_sums(weights, shared))


def fleiss_kappa(counts: Values, weights: Values) -> Values:
    shares = _shares(counts, weights)
    return _beyond_chance(raw_agreement(counts, weights), (shares**2).sum(axis=1))


def gwet_ac1(counts: Values, weights: Values) -> Values:
    shares = _shares(counts, weights)
    chance = (shares * (1 - shares)).sum(axis=1) / (counts.shape[1] - 1)
    return _beyond_chance(raw_agreement(counts, weights), chance)


def alpha_nominal(counts: Values, weights: Values) -> Values:
    size = counts.shape[1]
    distance = np.broadcast_to(1 - np.eye(size), (len(weights), size, size))
    return _alpha(counts, weights, lambda _: distance)


def alpha_ordinal(counts: Values, weights: Values) -> Values:
    """Two categories are as far apart as answers lie between them, half of their own counted."""

    def distances(totals: Values) -> Values:
        middles = np.cumsum(totals, axis=1) - totals / 2
        found: Values = (middles[:, :, None] - middles[:, None, :]) ** 2
        return found

    return _alpha(counts, weights, distances)


def _alpha(counts: Values, weights: Values, distances: Callable[[Values], Values]) -> Values:
    raters = counts.sum(axis=1)
    kept = raters >= 2
    counts, raters, weights = counts[kept], raters[kept], weights[:, kept]
    size = counts.shape[1]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(size)
    pairs /= np.maximum(raters - 1, 1)[:, None, None]
    coincidences = counted_sums(weights, pairs.reshape(len(counts), size * size))
    coincidences = coincidences.reshape(-1, size, size)
    totals = coincidences.sum(axis=2)
    distance = distances(totals)
    observed = (coincidences * distance).sum(axis=(1, 2))
    expected = (totals[:, :, None] * totals[:, None, :] * distance).sum(axis=(1, 2))
    return 1 - _divided((totals.sum(axis=1) - 1) * observed, expected)


def _agreed(counts: Values) -> tuple[Values, Values]:
    """Of each target the share of pairs of answers that agree, and 1 where there is a pair."""
    raters = counts.sum(axis=1)
    pairs = raters * (raters - 1)
    agreed = (counts * (counts - 1)).sum(axis=1) / np.maximum(pairs, 1)
    return agreed, (pairs > 0).astype(float)


def _shares(counts: Values, weights: Values) -> Values:
    """(B, q): how likely each category is, a target as much as another."""
    raters = counts.sum(axis=1)
    answered = raters > 0
    each = counts[answered] / raters[answered, None]
    total = weights[:, answered].sum(axis=1, keepdims=True)
    return _divided(counted_sums(weights[:, answered], each), total)


def _beyond_chance(observed: Values, chance: Values) -> Values:
    return _divided(observed - chance, 1 - chance)


def _divided(above: Values, below: Values) -> Values:
    found = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=found, where=np.abs(below) > 1e-12)
    return found


def _figure(
    statistic: Statistic,
    rows: Values,
    times: Times,
    *,
    targets: int,
    passages: int | None,
    dropped: int,
    why: str,
    resamples: int,
) -> Reliability:
    passages = targets if passages is None else passages
    if why:
        return Reliability(value=None, targets=targets, passages=passages, dropped=dropped, why=why)
    value = float(statistic(rows, times[None].astype(float))[0])
    if np.isnan(value):
        return Reliability(
            value=None, targets=targets, passages=passages, dropped=dropped, why=ALL_THE_SAME
        )
    n = int(times.sum())
    drawn = np.random.default_rng(SEED).multinomial(n, times / n, size=resamples).astype(float)
    again = statistic(rows, drawn)
    again = again[~np.isnan(again)]
    low = high = None
    if 2 * len(again) > resamples:
        ends = np.quantile(again, (0.025, 0.975))
        low, high = known_ends(float(ends[0]), float(ends[1]), clusters=passages)
    return Reliability(
        value=value, low=low, high=high, targets=targets, passages=passages, dropped=dropped,
        undefined=resamples - len(again), resamples=resamples,
    )  # fmt: skip
