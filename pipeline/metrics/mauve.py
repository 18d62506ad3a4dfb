"""MAUVE: the distance of two sets of texts by a model's features (Pillutla et al. 2021).

Features are reduced and clustered, and the clusters' shares compared. The figure depends on the
seed, the number of clusters and the length of texts: a sanity check, by ALCE's authors.
"""

from collections.abc import Sequence
from operator import itemgetter
from statistics import fmean
from warnings import catch_warnings

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.vq import kmeans, kmeans2, vq
from scipy.special import rel_entr

from pipeline.metrics.bertscore import unit_rows

Features = NDArray[np.float64]
"""A row for each text."""
SCALE = 5.0
"""The paper's c, a factor of divergences."""
MIXTURES = np.linspace(1e-6, 1 - 1e-6, 25)
VARIANCE = 0.9
"""The share of variance that the principal components explain."""
SEEDS = (25, 26, 27, 28, 29)
STARTS = 5


def mauve(people: Features, model: Features, *, seeds: Sequence[int] = SEEDS) -> list[float]:
    """A value for each seed of k-means, 0.0 to 1.0 (indistinguishable sets).

    There is a cluster for ten texts of the smaller set, and at least two. Empty where a set has
    fewer than two texts.
    """
    smaller = min(len(people), len(model))
    if smaller < 2:
        return []
    clusters = max(2, round(smaller / 10))
    points = reduced(np.vstack([people, model]))
    values = []
    for seed in seeds:
        labels = k_means(points, clusters, seed=seed)
        p, q = (
            np.bincount(each, minlength=clusters) / len(each)
            for each in (labels[: len(people)], labels[len(people) :])
        )
        values.append(area(p, q))
    return values


def describe(values: Sequence[float]) -> str:
    """A sentence with the figure and its caveat.

    >>> describe([0.5, 0.25])
    'MAUVE by 2 seeds of k-means: 25.0 to 50.0, mean 37.5. It is unstable: no more than a sanity \
check, and comparable only between outputs of one length, by one model.'
    """
    low, high, mean = (100 * each for each in (min(values), max(values), fmean(values)))
    return (
        f"MAUVE by {len(values)} seeds of k-means: {low:.1f} to {high:.1f}, mean {mean:.1f}. It is "
        "unstable: no more than a sanity check, and comparable only between outputs of one "
        "length, by one model."
    )


def area(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """The area under the divergence curve of two distributions over the same clusters."""
    points: list[tuple[float, ...]] = [(0.0, 1.0)]
    # In order along the curve, not sorted: those of equal sets differ by less than rounding.
    for share in MIXTURES[::-1]:
        mixed = share * p + (1 - share) * q
        apart = np.array([rel_entr(q, mixed).sum(), rel_entr(p, mixed).sum()])
        points.append(tuple(np.exp(-SCALE * apart)))
    x, y = np.array([*points, (1.0, 0.0)]).T
    return float(np.trapezoid(y, x))


def reduced(features: Features) -> Features:
    """The principal components of the unit rows that explain `VARIANCE`."""
    rows = unit_rows(features)
    rows -= rows.mean(axis=0)
    _, sizes, axes = np.linalg.svd(rows, full_matrices=False)
    explained = np.cumsum(sizes**2)
    retained = 1
    if explained[-1]:
        retained = int(np.searchsorted(explained / explained[-1], VARIANCE)) + 1
    components: Features = rows @ axes[:retained].T
    return components


def k_means(points: Features, clusters: int, *, seed: int) -> NDArray[np.int32]:
    """The cluster of each point, by the best of `STARTS` k-means++ runs."""
    drawn = np.random.default_rng(seed)
    # Clusters stay empty where fewer points differ than there are clusters.
    with np.errstate(invalid="ignore"), catch_warnings(action="ignore", category=UserWarning):
        starts = [
            kmeans2(points, clusters, iter=1, minit="++", rng=drawn)[0] for _ in range(STARTS)
        ]
    centres, _ = min((kmeans(points, start) for start in starts), key=itemgetter(1))
    labels: NDArray[np.int32] = vq(points, centres)[0]
    return labels
