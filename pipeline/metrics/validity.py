"""How well automatic scores tell what people say: correlation and ROC AUC.

Scores come in clusters (the sentences of one passage), which tend to be alike. The intervals of
correlations and of accuracy are `pipeline.metrics.resampling`'s; that of the area, which is no
function of sums, is Obuchowski's for clustered data (Biometrics 53, 1997).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri
from scipy.stats import rankdata

from pipeline.metrics.inference import LEVEL, Estimate, known_ends
from pipeline.metrics.resampling import Figure, Values, resampled_estimate, sums_of_clusters


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One thing that a model scored and people judged."""

    score: float
    """The model's, 0.0 to 1.0."""
    said: float
    """The share of its raters who said yes, 0.0 to 1.0."""
    cluster: int
    """What it belongs to: the passage."""

    @property
    def label(self) -> bool | None:
        """What most of its raters say; None for a tie."""
        return None if self.said == 0.5 else self.said > 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """What scores tell of people's answers; None where there is nothing to tell it by."""

    n: int
    clusters: int
    pearson: Estimate | None
    """Of scores and the shares of raters who said yes, -1.0 to 1.0 (RARR's appendix B)."""
    spearman: Estimate | None
    auc: Estimate | None
    """The chance that a thing people say yes to has a higher score than one they do not; 0.5 is
    chance. Ties of raters are left out."""


def validity(scored: Sequence[Scored]) -> Validity:
    """All figures of `scored`; resamples take the ranks of the whole sample."""
    labelled = [each for each in scored if each.label is not None]
    scores, said, clusters = _columns(scored)
    of_label, _, label_clusters = _columns(labelled)
    labels = np.array([each.label for each in labelled], dtype=float)
    ranks = (rankdata(scores), rankdata(said)) if len(scored) else (scores, said)
    return Validity(
        n=len(scored),
        clusters=len(np.unique(clusters)),
        pearson=_resampled(_pearson, _moments(scores, said), clusters, lowest=-1.0),
        spearman=_resampled(_pearson, _moments(*ranks), clusters, lowest=-1.0),
        auc=_area(of_label, labels, label_clusters),
    )


def balanced_accuracy(scored: Sequence[Scored], *, threshold: float) -> Estimate | None:
    """The mean of two shares: yeses scored `threshold` or more, and noes scored less.

    0.5 is chance, whatever the share of yeses. Ties of raters are left out; None where there are
    only yeses, or only noes.
    """
    labelled = [each for each in scored if each.label is not None]
    scores, _, clusters = _columns(labelled)
    yes = np.array([each.label for each in labelled], dtype=float)
    is_right = (scores >= threshold) == (yes == 1)
    sums = np.stack([yes, yes * is_right, 1 - yes, (1 - yes) * is_right], axis=1)
    return _resampled(_mean_recall, sums, clusters, lowest=0.0)


def _columns(scored: Sequence[Scored]) -> tuple[Values, Values, NDArray[np.int64]]:
    """Scores, shares of yes, and the number of each one's cluster, from 0."""
    numbers = np.unique([each.cluster for each in scored], return_inverse=True)[1]
    return (
        np.array([each.score for each in scored], dtype=float),
        np.array([each.said for each in scored], dtype=float),
        numbers.astype(np.int64),
    )


def _resampled(
    figure: Figure, rows: Values, clusters: NDArray[np.int64], *, lowest: float
) -> Estimate | None:
    return resampled_estimate(figure, sums_of_clusters(rows, clusters), n=len(rows), lowest=lowest)


def _moments(one: Values, other: Values) -> Values:
    """What a correlation is made of, of each pair: sums of these rows are enough."""
    a = one - one.mean() if len(one) else one
    b = other - other.mean() if len(other) else other
    return np.stack([np.ones(len(a)), a, b, a * a, b * b, a * b], axis=1)


def _pearson(sums: Values) -> Values:
    n, a, b, aa, bb, ab = sums.T
    spread = np.sqrt(np.maximum(aa - a * a / n, 0) * np.maximum(bb - b * b / n, 0))
    # Rounding leaves a trace of spread where there is none.
    known = spread > 1e-9 * n
    return np.where(known, (ab - a * b / n) / np.where(known, spread, 1.0), np.nan)


def _area(scores: Values, labels: Values, clusters: NDArray[np.int64]) -> Estimate | None:
    """The area under the ROC curve, equal scores counting half; its interval on the logit."""
    of_yes, of_no = scores[labels == 1], scores[labels == 0]
    if not len(of_yes) or not len(of_no):
        return None
    # The share of noes below each yes, and of yeses above each no.
    below = _shares_below(of_no, of_yes)
    above = 1 - _shares_below(of_yes, of_no)
    value = float(below.mean())
    yes, no = clusters[labels == 1], clusters[labels == 0]
    size = int(clusters.max()) + 1
    parts = np.bincount(yes, below - value, size) / len(of_yes)
    parts += np.bincount(no, above - value, size) / len(of_no)
    known = len(np.unique(clusters))
    low = high = None
    if known > 1 and 0 < value < 1:
        error = float(np.sqrt((parts**2).sum() * known / (known - 1)))
        half = float(ndtri((1 + LEVEL) / 2)) * error / (value * (1 - value))
        ends = expit([logit(value) - half, logit(value) + half])
        low, high = known_ends(float(ends[0]), float(ends[1]), clusters=known)
    return Estimate(value=value, n=len(scores), low=low, high=high, clusters=known)


def _shares_below(those: Values, values: Values) -> Values:
    """For each of `values` the share of `those` below it, equal ones counting half."""
    ordered = np.sort(those)
    left = np.searchsorted(ordered, values, side="left")
    right = np.searchsorted(ordered, values, side="right")
    shares: Values = (left + right) / 2 / len(those)
    return shares


def _mean_recall(sums: Values) -> Values:
    yes, found, no, kept = sums.T
    known = (yes > 0) & (no > 0)
    recalls = found / np.where(known, yes, 1.0) + kept / np.where(known, no, 1.0)
    return np.where(known, recalls / 2, np.nan)
