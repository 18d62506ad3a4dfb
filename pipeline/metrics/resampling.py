"""Jackknife intervals of figures that are no ratio of sums: agreement, correlation, kappa.

The delete-one jackknife over clusters with Student's t (Efron and Tibshirani 1993, "An
Introduction to the Bootstrap", chapter 11; docs/decisions/0013-intervals.md).
"""

import math
from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from pipeline.metrics.inference import LEVEL, Estimate, known_ends

Values = NDArray[np.float64]
Figure = Callable[[Values], Values]
"""Maps sums (B, k), each row a total over clusters, to B values; nan where undefined."""


def resampled_estimate(
    figure: Figure, sums: Values, *, n: int, lowest: float, clusters: int | None = None
) -> Estimate | None:
    """Estimate the figure of the totals of `sums`; None where it has no value.

    `sums` is (C, k): what each cluster adds to the sums that `figure` takes. `n` counts targets;
    `clusters` is the number of contributing rows, by default C. The scale goes from `lowest` to 1.
    There is no interval where the figure is undefined without one of the clusters.

    >>> sums = np.array([[1, 2], [2, 2], [0, 2], [1, 2], [2, 2], [2, 2]], dtype=float)
    >>> f"{resampled_estimate(lambda s: s[:, 0] / s[:, 1], sums, n=12, lowest=0):.3f}"
    '0.667 [0.238, 1.000]'
    """
    if not len(sums):
        return None
    total = sums.sum(axis=0)
    value = float(figure(total[None])[0])
    if math.isnan(value):
        return None
    size = len(sums)
    clusters = size if clusters is None else clusters
    without = figure(total - sums)
    undefined = int(np.isnan(without).sum())
    low = high = None
    if clusters > 1 and not undefined:
        squares = float(((without - without.mean()) ** 2).sum())
        half = float(stdtrit(clusters - 1, (1 + LEVEL) / 2)) * math.sqrt(
            (size - 1) / size * squares
        )
        # A value may lie below `lowest`: see `pipeline.metrics.reliability`.
        low = max(value - half, min(lowest, value))
        low, high = known_ends(low, min(value + half, 1.0), clusters=clusters)
    return Estimate(
        value=value, n=n, low=low, high=high, clusters=clusters, undefined=undefined, resamples=size
    )


def cluster_numbers(clusters: Sequence[Hashable]) -> NDArray[np.int64]:
    """Number the clusters from 0.

    >>> cluster_numbers(["b", "a", "b"])
    array([0, 1, 0])
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(each, len(numbers)) for each in clusters], dtype=np.int64)


def sums_of_clusters(rows: Values, clusters: NDArray[np.int64]) -> Values:
    """(C, k): add up the `rows` (n, k) of each cluster; `clusters` number from 0 to C - 1.

    >>> sums_of_clusters(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 0]))
    array([[5.],
           [2.]])
    """
    sums = np.zeros((int(clusters.max(initial=-1)) + 1, rows.shape[1]))
    np.add.at(sums, clusters, rows)
    return sums
