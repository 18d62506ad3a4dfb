"""95 % intervals by the bootstrap, for figures that are made of means over passages.

The passages are drawn again, as many as there are and with replacement, and the figure is worked
out of their means; the middle 95 % of many such draws are the interval. It needs no formula for
the figure, keeps what belongs to one passage together, and so serves F1_AP of means and the
difference of two systems over the same passages alike.

The sums over drawn passages are the same to the last bit on every machine. A matrix product adds
in an order of its own: another processor, number of threads or block of rows gives another last
digit. A sum of whole numbers of one small unit that never needs more than 53 bits is exact, and
so the same in any order.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.metrics.inference import LEVEL, Estimate

Values = NDArray[np.float64]
Counts = NDArray[np.int64] | Values

DRAWS = 4000
SEED = 20_230_515
"""The same passages get the same interval each time they are shown, on every machine."""
_HELD = 4_000_000
"""Counts that are held in memory at once."""
_BITS = 53
"""Of a float64's significand."""


def bootstrap_estimate(
    rows: Sequence[Sequence[float]],
    figure: Callable[[Values], Values],
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Estimate | None:
    """A figure of the rows' means with its percentile interval; None for no rows.

    `rows` has a row a passage and a column a measure. `figure` gets the means of some draws, a
    row a draw, and gives one value for each of them. One row alone has no interval.

    >>> found = bootstrap_estimate([[0.25], [0.5], [0.75]], lambda means: means[:, 0])
    >>> found.value, found.n, 0.25 <= found.low < found.value < found.high <= 0.75
    (0.5, 3, True)
    >>> bootstrap_estimate([], lambda means: means[:, 0]) is None
    True
    """
    n = len(rows)
    if not n:
        return None
    means = [math.fsum(measure) / n for measure in zip(*rows, strict=True)]
    value = float(figure(np.array([means]))[0])
    if n == 1:
        return Estimate(value=value, n=1, low=None, high=None)
    values = np.asarray(rows, dtype=np.float64)
    drawn = np.concatenate([figure(means) for means in _means(values, draws, seed)])
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value=value, n=n, low=float(low), high=float(high))


def _means(values: Values, draws: int, seed: int) -> list[Values]:
    """The means of `draws` draws, in blocks that fit in memory."""
    n = len(values)
    chance = np.random.default_rng(seed)
    block = max(1, _HELD // n)
    sizes = [min(block, draws - start) for start in range(0, draws, block)]
    even = np.full(n, 1 / n)
    return [counted_sums(chance.multinomial(n, even, size=size), values) / n for size in sizes]


def counted_sums(counts: Counts, values: Values) -> Values:
    """`counts @ values`: of (B, n) whole numbers >= 0 and (n,) or (n, k) finite values.

    Each column of values is rounded to a power of two of which every sum needs fewer than 2**53.
    For values up to 1.0 drawn 1,000 times that is 2e-13.

    >>> counted_sums(np.array([[2, 1]]), np.array([[0.5, 1.0], [0.25, 0.0]]))
    array([[1.25, 2.  ]])
    """
    most = int(counts.sum(axis=1).max(initial=0))
    _, exponents = np.frexp(np.abs(values).max(axis=0, initial=0.0))
    bits = _BITS - exponents - most.bit_length()
    sums: Values = counts @ np.ldexp(np.rint(np.ldexp(values, bits)), -bits)
    return sums


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
