"""MAUVE: how far apart two sets of texts are, by a model's features (Pillutla et al. 2021).

Features are reduced and clustered, and the clusters' shares in both sets compared. Where k-means
begins decides much: the same texts give other figures with another seed, another number of
clusters or texts of another length. ALCE's authors call it no more than a sanity check.
"""

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.float64]
"""A row for each text."""
SCALE = 5.0
"""The paper's c, by which divergences are multiplied."""
MIXTURES = np.linspace(1e-6, 1 - 1e-6, 25)
VARIANCE = 0.9
"""The share of the variance that the kept principal components explain."""
SEEDS = (25, 26, 27, 28, 29)
RESTARTS, ITERATIONS = 5, 500


def mauve(people: Features, model: Features, *, seeds: Sequence[int] = SEEDS) -> list[float]:
    """A value from 0.0 to 1.0 for each seed of k-means; 1.0 for sets that nobody can tell apart.

    A tenth as many clusters as there are texts in the smaller set, and two at least; none where a
    set has fewer than two texts.
    """
    smaller = min(len(people), len(model))
    if smaller < 2:
        return []
    clusters = max(2, round(smaller / 10))
    points = reduced(np.vstack([people, model]))
    found = []
    for seed in seeds:
        labels = k_means(points, clusters, seed=seed)
        p, q = (
            np.bincount(each, minlength=clusters) / len(each)
            for each in (labels[: len(people)], labels[len(people) :])
        )
        found.append(area(p, q))
    return found


def says_of(values: Sequence[float]) -> str:
    """What has to stand beside the figure, in a sentence.

    >>> says_of([0.5, 0.25])
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
    """The area under the divergence curve of two distributions over the same clusters.

    >>> round(area(np.array([0.5, 0.5]), np.array([0.5, 0.5])), 6)
    1.0
    >>> round(area(np.array([1, 0]), np.array([0, 1])), 6)
    0.004072
    """
    points: list[tuple[float, ...]] = [(0.0, 1.0)]
    # Along the curve x rises and y falls. Points of sets that are alike differ by less than
    # rounding, so they are taken in the order in which they come, not sorted.
    for share in MIXTURES[::-1]:
        mixed = share * p + (1 - share) * q
        apart = np.array([_divergence(q, mixed), _divergence(p, mixed)])
        points.append(tuple(np.exp(-SCALE * apart)))
    x, y = np.array([*points, (1.0, 0.0)]).T
    return float(np.trapezoid(y, x))


def reduced(features: Features) -> Features:
    """Each row at length 1, then the principal components that explain most of the variance."""
    lengths = np.linalg.norm(features, axis=1, keepdims=True)
    rows: Features = features / np.where(lengths == 0, 1.0, lengths)
    rows = rows - rows.mean(axis=0)
    _, sizes, axes = np.linalg.svd(rows, full_matrices=False)
    explained = np.cumsum(sizes**2)
    kept = 1
    if explained[-1]:
        kept = int(np.searchsorted(explained / explained[-1], VARIANCE)) + 1
    found: Features = rows @ axes[:kept].T
    return found


def k_means(points: Features, clusters: int, *, seed: int) -> NDArray[np.int64]:
    """The cluster of each point, of the best of several starts (Lloyd's steps, k-means++)."""
    drawn = np.random.default_rng(seed)
    best, labels = np.inf, np.zeros(len(points), dtype=np.int64)
    for _ in range(RESTARTS):
        centres = _first_centres(points, clusters, drawn)
        before = None
        for _ in range(ITERATIONS):
            distances = _distances(points, centres)
            nearest = distances.argmin(axis=1)
            if before is not None and np.array_equal(nearest, before):
                break
            before = nearest
            for number in range(clusters):
                if (of := points[nearest == number]).size:
                    centres[number] = of.mean(axis=0)
        spread = float(distances.min(axis=1).sum())
        if spread < best:
            best, labels = spread, nearest
    return labels


def _first_centres(points: Features, clusters: int, drawn: np.random.Generator) -> Features:
    """Points drawn one by one, likelier the farther they are from those drawn before."""
    centres = [points[drawn.integers(len(points))]]
    while len(centres) < clusters:
        near = _distances(points, np.array(centres)).min(axis=1)
        total = near.sum()
        chances = near / total if total > 0 else None
        centres.append(points[drawn.choice(len(points), p=chances)])
    return np.array(centres)


def _distances(points: Features, centres: Features) -> Features:
    squares = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)[None, :]
    found: Features = np.maximum(squares - 2 * points @ centres.T, 0.0)
    return found


def _divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Kullback and Leibler's, of p from q, which is above 0 wherever p is."""
    where = p > 0
    return float((p[where] * np.log(p[where] / q[where])).sum())
