"""Prediction-powered inference: Attr_AIS from labels of some passages and scores of all.

PPI++'s estimate (Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453): the mean label plus λ times
the run's mean score less that of the labelled passages; PPI++'s λ is this one times the share of
unlabelled passages. It is the regression estimator of two-phase sampling (Cochran 1977, section
12.6).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from pipeline.metrics.inference import FEWEST_CLUSTERS, LEVEL, Estimate, mean_estimate

Values = NDArray[np.float64]

MOST_LEVERAGE = 0.9
"""The highest leverage; it inflates a residual tenfold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Variance:
    by_labels: float
    """Falls with the number of labels."""
    by_passages: float
    """Remains where all passages are labelled: the run is a sample, too."""

    @property
    def total(self) -> float:
        return self.by_labels + self.by_passages


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionPowered:
    estimate: Estimate
    """`n` counts labelled passages."""
    classical: Estimate
    """From labels alone."""
    passages: int
    """With a score, labelled or not."""
    tuning: float
    """λ, from 0 (scores are not used) to 1."""
    _variance: _Variance
    _variance_alone: _Variance

    @property
    def effective_n(self) -> float | None:
        """How many labels alone would give this interval; None without a spread."""
        if not self._variance.total:
            return None
        return self.estimate.n * self._variance_alone.total / self._variance.total

    def labels_needed(self, half_width: float, *, alone: bool = False) -> int | None:
        """Labels, with scores or `alone`, for an interval of ± `half_width`.

        `alone` may be more than the run has; else None where labelling the whole run is not enough.
        None without a spread.
        """
        variance = self._variance_alone if alone else self._variance
        most = None if alone else self.passages
        if not half_width > 0:
            raise ValueError(f"An interval of ± {half_width} has no width.")
        if not variance.total or (most is not None and most < FEWEST_CLUSTERS):
            return None

        def suffices(labels: int) -> bool:
            left = variance.by_labels * self.estimate.n / labels + variance.by_passages
            return float(stdtrit(labels - 1, (1 + LEVEL) / 2)) ** 2 * left <= half_width**2

        high = most or FEWEST_CLUSTERS
        while not suffices(high):
            if most is not None:
                return None
            high *= 2
        low = FEWEST_CLUSTERS - 1  # too few for an interval
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if suffices(middle) else (middle, high)
        return high


def prediction_powered_mean(
    labels: Sequence[float],
    scores: Sequence[float],
    weights: Sequence[float] | None = None,
    *,
    mean_score: float,
    passages: int,
    lowest: float = -math.inf,
    highest: float = math.inf,
) -> PredictionPowered | None:
    """Estimate the mean label of the population of a run's passages; None for no labels.

    `labels` are Attr_AIS, `scores` auto-AIS of the same passages, `mean_score` that of all
    `passages` of the run. `weights`, `lowest` and `highest` are those of `ratio_estimate`, whose
    interval results where all passages are labelled or all scores are equal.

    The variance is n / (n − 1) Σ (w / Σw)² ((1 − π) r² + π y²), with π the inclusion probability, y
    the label and r its residual after λ times the score, both centred. λ from 0 to 1 minimises it;
    r are jackknife residuals (HC3), as λ is tuned on the same labels (docs/statistics.md).

    Raises ValueError where lengths differ, a weight is not above 0, or there are more labels than
    passages.
    """
    y, f = np.asarray(labels, dtype=float), np.asarray(scores, dtype=float)
    is_even = weights is None or len(set(weights)) == 1
    w = np.ones_like(y) if is_even else np.asarray(weights, dtype=float)
    n = len(y)
    if not len(f) == len(y if weights is None else weights) == n <= passages:
        raise ValueError(f"{n} labels of {passages} passages, other scores or weights.")
    if weights is not None and not all(weight > 0 for weight in weights):
        raise ValueError("A weight is one over a probability, so it is above 0.")
    if not n:
        return None
    share = w / w.sum()
    # The weights may imply another number of passages than there are.
    chance = np.minimum(1 / (share * passages), 1)
    # Exact sums, as of other figures on the page.
    y_mean, f_mean = (math.fsum(w * each) / math.fsum(w) for each in (y, f))
    y_off, f_off = y - y_mean, f - f_mean
    unknown = share**2 * (1 - chance)
    tuning = _tuning(y_off, f_off, unknown)
    rest = y_off - tuning * f_off
    if tuning:
        rest = rest / (1 - _leverage(f_off, unknown, share))
    variance = _variance(rest, y_off, share, chance)
    alone = _variance(y_off, y_off, share, chance)
    value = y_mean + tuning * (mean_score - f_mean)
    return PredictionPowered(
        estimate=_estimate(value, n, variance, lowest, highest),
        classical=_estimate(y_mean, n, alone, lowest, highest),
        passages=passages,
        tuning=tuning,
        _variance=variance,
        _variance_alone=alone,
    )


def _tuning(y: Values, f: Values, weights: Values) -> float:
    """The λ from 0 to 1 with the smallest residual y − λf; 0 where f has no spread."""
    squares = float(weights @ f**2)
    # Three labels or fewer lie close to a line by chance.
    if len(y) < 4 or squares <= np.finfo(float).eps * float(weights.sum()):
        return 0.0
    return min(max(float(weights @ (y * f)) / squares, 0.0), 1.0)


def _leverage(f: Values, weights: Values, share: Values) -> Values:
    """Each passage's leverage on λ, from 0 to `MOST_LEVERAGE`."""
    contributions = weights * f**2
    leverage: Values = np.minimum(contributions / contributions.sum() / (1 - share), MOST_LEVERAGE)
    return leverage


def _variance(rest: Values, y: Values, share: Values, chance: Values) -> _Variance:
    n = len(y)
    if n == 1:
        return _Variance(by_labels=0.0, by_passages=0.0)
    each = share**2 * n / (n - 1)
    known = float((each * chance) @ (y**2 - rest**2))
    return _Variance(by_labels=float(each @ rest**2), by_passages=known)


def _estimate(value: float, n: int, variance: _Variance, lowest: float, highest: float) -> Estimate:
    deviation = math.sqrt(max(variance.total, 0.0) * n) if n > 1 else None
    # Scores may move it off the scale.
    value = min(max(value, lowest), highest)
    return mean_estimate(n=n, mean=value, deviation=deviation, lowest=lowest, highest=highest)
