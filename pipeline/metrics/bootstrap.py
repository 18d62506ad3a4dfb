"""95 % intervals by the bootstrap, for figures that are made of means over passages.

The passages are drawn again, as many as there are and with replacement, and the figure is worked
out of their means; the middle 95 % of many such draws are the interval. It needs no formula for
the figure, keeps what belongs to one passage together, and so serves F1_AP of means and the
difference of two systems over the same passages alike.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.metrics.inference import Estimate

Values = NDArray[np.float64]

DRAWS = 4000
SEED = 20_230_515
"""The same passages get the same interval each time they are shown."""
_HELD = 4_000_000
"""Counts that are held in memory at once."""


def bootstrap_estimate(
    rows: Sequence[Sequence[float]],
    figure: Callable[[Values], Values],
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Estimate | None:
    """A figure of the rows' means with its percentile interval; None for no rows.

    `rows` has a row a passage and a column a measure. `figure` gets the means of some draws, a
    row a draw, and gives one value for each of them. One row alone has no interval.

    >>> found = bootstrap_estimate([[0.2], [0.4], [0.6]], lambda means: means[:, 0])
    >>> round(found.value, 3), found.n, 0.2 <= found.low < found.value < found.high <= 0.6
    (0.4, 3, True)
    >>> bootstrap_estimate([], lambda means: means[:, 0]) is None
    True
    """
    values = np.asarray(rows, dtype=np.float64)
    n = len(values)
    if not n:
        return None
    value = float(figure(values.mean(axis=0)[None, :])[0])
    if n == 1:
        return Estimate(value=value, n=1, low=None, high=None)
    drawn = np.concatenate([figure(means) for means in _means(values, draws, seed)])
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value=value, n=n, low=float(low), high=float(high))


def _means(values: Values, draws: int, seed: int) -> list[Values]:
    """The means of `draws` draws, in blocks that fit in memory."""
    n = len(values)
    chance = np.random.default_rng(seed)
    block = max(1, _HELD // n)
    sizes = [min(block, draws - start) for start in range(0, draws, block)]
    even = np.full(n, 1 / n)
    return [chance.multinomial(n, even, size=size) @ values / n for size in sizes]


def column(index: int) -> Callable[[Values], Values]:
    """The mean of one measure."""
    return lambda means: means[:, index]


def difference(index: int, other: int) -> Callable[[Values], Values]:
    """The mean of one measure less that of another one of the same passages."""
    return lambda means: means[:, index] - means[:, other]


def harmonic(index: int, other: int) -> Callable[[Values], Values]:
    """The harmonic mean of two measures' means: F1_AP as in the paper's tables; 0 where both are.

    >>> float(harmonic(0, 1)(np.array([[0.5, 1.0]]))[0])
    0.6666666666666666
    """

    def figure(means: Values) -> Values:
        one, two = means[:, index], means[:, other]
        total = one + two
        found = np.zeros_like(total)
        np.divide(2 * one * two, total, out=found, where=total > 0)
        return found

    return figure
