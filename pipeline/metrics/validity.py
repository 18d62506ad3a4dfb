"""Validity of automatic scores: their correlation with human judgments, ROC AUC, accuracy.

Intervals are over clusters (the sentences of one passage): the jackknife's, and for the area,
which is no function of sums, Obuchowski's (Biometrics 53, 1997).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri
from scipy.stats import rankdata

from pipeline.metrics.inference import LEVEL, Estimate, known_ends
from pipeline.metrics.resampling import (
    Figure,
    Values,
    cluster_numbers,
    resampled_estimate,
    sums_of_clusters,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A sentence or answer with an automatic score and human judgments."""

    score: float
    """By the model, 0.0 to 1.0."""
    human_share: float
    """The share of its raters who answered yes, 0.0 to 1.0."""
    cluster: Hashable
    """The passage or question."""

    @property
    def label(self) -> bool | None:
        """The majority's answer; None for a tie."""
        return None if self.human_share == 0.5 else self.human_share > 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """Figures are None where they are undefined."""

    n: int
    clusters: int
    pearson: Estimate | None
    """Of scores and human shares, -1.0 to 1.0 (the RARR paper's appendix B)."""
    spearman: Estimate | None
    auc: Estimate | None
    """The probability that a yes has a higher score than a no, without tied ones; 0.5 is chance."""


def validity(scored: Sequence[Scored]) -> Validity:
    """Compute all figures; Spearman's jackknife reuses the full-sample ranks."""
    labelled = [each for each in scored if each.label is not None]
    scores, shares, clusters = _columns(scored)
    of_label, _, label_clusters = _columns(labelled)
    labels = np.array([each.label for each in labelled], dtype=float)
    ranks = (rankdata(scores), rankdata(shares)) if len(scored) else (scores, shares)
    return Validity(
        n=len(scored),
        clusters=len(np.unique(clusters)),
        pearson=_resampled(_pearson, _moments(scores, shares), clusters, lowest=-1.0),
        spearman=_resampled(_pearson, _moments(*ranks), clusters, lowest=-1.0),
        auc=_area(of_label, labels, label_clusters),
    )


def balanced_accuracy(scored: Sequence[Scored], *, threshold: float) -> Estimate | None:
    """The mean of the recalls of yes (scores from `threshold` on) and no, without tied ones.

    0.5 is chance, whatever the share of yeses. None where one of the two does not occur.
    """
    labelled = [each for each in scored if each.label is not None]
    scores, _, clusters = _columns(labelled)
    yes = np.array([each.label for each in labelled], dtype=float)
    is_right = (scores >= threshold) == (yes == 1)
    sums = np.stack([yes, yes * is_right, 1 - yes, (1 - yes) * is_right], axis=1)
    return _resampled(_mean_recall, sums, clusters, lowest=0.0)


def _columns(scored: Sequence[Scored]) -> tuple[Values, Values, NDArray[np.int64]]:
    """Scores, human shares, and the number of each one's cluster, from 0."""
    return (
        np.array([each.score for each in scored], dtype=float),
        np.array([each.human_share for each in scored], dtype=float),
        cluster_numbers([each.cluster for each in scored]),
    )


def _resampled(
    figure: Figure, rows: Values, clusters: NDArray[np.int64], *, lowest: float
) -> Estimate | None:
    return resampled_estimate(figure, sums_of_clusters(rows, clusters), n=len(rows), lowest=lowest)


def _moments(one: Values, other: Values) -> Values:
    """(n, 6): what each pair adds to the sums of `_pearson`."""
    a = one - one.mean() if len(one) else one
    b = other - other.mean() if len(other) else other
    return np.stack([np.ones(len(a)), a, b, a * a, b * b, a * b], axis=1)


def _pearson(sums: Values) -> Values:
    n, a, b, aa, bb, ab = sums.T
    spread = np.sqrt(np.maximum(aa - a * a / n, 0) * np.maximum(bb - b * b / n, 0))
    is_defined = spread > 1e-9 * n  # not above 0: rounding
    return np.where(is_defined, (ab - a * b / n) / np.where(is_defined, spread, 1.0), np.nan)


def _area(scores: Values, labels: Values, clusters: NDArray[np.int64]) -> Estimate | None:
    """The area under the ROC curve, equal scores counting half, with its logit interval."""
    of_yes, of_no = scores[labels == 1], scores[labels == 0]
    if not len(of_yes) or not len(of_no):
        return None
    below = _shares_below(of_no, of_yes)  # of noes, for each yes
    above = 1 - _shares_below(of_yes, of_no)  # of yeses, for each no
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
    """For each of `values`, the share of `those` below it, equal ones counting half."""
    ordered = np.sort(those)
    left = np.searchsorted(ordered, values, side="left")
    right = np.searchsorted(ordered, values, side="right")
    shares: Values = (left + right) / 2 / len(those)
    return shares


def _mean_recall(sums: Values) -> Values:
    yes, right_yes, no, right_no = sums.T
    is_defined = (yes > 0) & (no > 0)
    recalls = right_yes / np.where(is_defined, yes, 1) + right_no / np.where(is_defined, no, 1)
    return np.where(is_defined, recalls / 2, np.nan)
