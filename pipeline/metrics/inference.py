"""95 % intervals of means, shares, rates and medians (docs/decisions/0013-intervals.md)."""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import median

LEVEL = 0.95
"""The share of intervals that contain the true value."""
Z = 1.959963984540054
"""The normal quantile of `LEVEL`, two-sided. A constant, as scipy is imported only where used."""
REL_TOL = 1e-9
"""Smaller differences, relative to the scale, are rounding errors."""
FEWEST_CLUSTERS = 5
"""The fewest distinct clusters (passages, questions) that an interval is computed from."""


def known_ends(
    low: float, high: float, *, clusters: int
) -> tuple[float, float] | tuple[None, None]:
    """The ends of an interval; None for fewer than `FEWEST_CLUSTERS` and for equal ends."""
    if clusters < FEWEST_CLUSTERS or high - low <= REL_TOL * max(1.0, abs(low)):
        return None, None
    return low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A value with the number of values and its interval."""

    value: float
    n: int
    low: float | None
    high: float | None
    """Both ends are None where `known_ends` gives none."""
    clusters: int | None = None
    """The number of clusters, where `n` counts something else."""
    undefined: int = 0
    """Jackknife resamples without a value; there is an interval only where it is 0."""
    resamples: int = 0
    """Jackknife resamples; 0 where the interval is a formula's."""
    fewest: int = FEWEST_CLUSTERS
    """Fewer clusters have no interval."""

    def note(self, what: str = "passages") -> str:
        """Why there is no interval, else ""; `what` names the clusters."""
        if self.low is not None:
            return ""
        if (self.n if self.clusters is None else self.clusters) < self.fewest:
            return f"no interval: fewer than {self.fewest} {what}"
        if self.undefined:
            return f"no interval: no value in {self.undefined:,} of {self.resamples:,} resamples"
        return f"no interval: all {'resamples' if self.resamples else 'values'} are equal"

    def __format__(self, spec: str) -> str:
        """The value and its interval, each number by `spec`.

        >>> f"{Estimate(value=0.5, n=9, low=0.25, high=0.75):.2f}"
        '0.50 [0.25, 0.75]'
        >>> f"{Estimate(value=0.5, n=1, low=None, high=None):+.1f}"
        '+0.5'
        """
        between = "" if self.low is None else f" [{self.low:{spec}}, {self.high:{spec}}]"
        return f"{self.value:{spec}}{between}"


def ratio_estimate(
    parts: Sequence[float],
    wholes: Sequence[float] | None = None,
    *,
    weights: Sequence[float] | None = None,
    clusters: Sequence[Hashable] | None = None,
    lowest: float = -math.inf,
    highest: float = math.inf,
) -> Estimate | None:
    """Estimate a sum of parts over a sum of wholes from a sample of clusters.

    Wholes are 1 by default, for a mean. Parts of one cluster are added up; by default each is a
    cluster. `n` counts clusters with a whole above 0; None without any. `weights` are proportional
    to one over inclusion probabilities (Hájek's estimate). The interval is `mean_estimate`'s of
    the linearised ratio (Cochran 1977, "Sampling Techniques", section 6.5), as if drawn with
    replacement. `lowest` and `highest` are the ends of the scale: 0 and 1 for shares and scores,
    -1 and 1 for their differences.

    >>> share = ratio_estimate([5, 0, 2, 3, 5, 5], [5] * 6, clusters="abccde", lowest=0, highest=1)
    >>> share.n, f"{share:.2f}"
    (5, '0.67 [0.35, 0.88]')

    Raises ValueError where a weight is not above 0, or lengths differ.
    """
    spread = ratio_spread(parts, wholes, weights=weights, clusters=clusters)
    if spread is None:
        return None
    n, value, deviation = spread
    return mean_estimate(n=n, mean=value, deviation=deviation, lowest=lowest, highest=highest)


def ratio_spread(
    parts: Sequence[float],
    wholes: Sequence[float] | None = None,
    *,
    weights: Sequence[float] | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> tuple[int, float, float | None] | None:
    """The number of clusters, the ratio, and the deviation of its linearised values.

    Arguments are those of `ratio_estimate`. The deviation is None for one cluster.
    """
    if weights is not None and any(not weight > 0 for weight in weights):
        raise ValueError("A weight is one over a probability, so it is above 0.")
    of_cluster: dict[Hashable, list[tuple[float, float]]] = defaultdict(list)
    for cluster, part, whole, weight in zip(
        range(len(parts)) if clusters is None else clusters,
        parts,
        [1.0] * len(parts) if wholes is None else wholes,
        [1.0] * len(parts) if weights is None else weights,
        strict=True,
    ):
        if whole:
            of_cluster[cluster].append((weight * part, weight * whole))
    sums = [tuple(map(math.fsum, zip(*rows, strict=True))) for rows in of_cluster.values()]
    if not sums:
        return None
    n = len(sums)
    total = math.fsum(whole for _, whole in sums)
    value = math.fsum(part for part, _ in sums) / total
    # n times each cluster's share of the error: their mean is the error, their spread its size.
    squares = math.fsum((n * (part - value * whole) / total) ** 2 for part, whole in sums)
    return n, value, math.sqrt(squares / (n - 1)) if n > 1 else None


def share_estimate(count: int, n: int) -> Estimate | None:
    """Estimate the share of `count` in `n` clusters; None for n = 0.

    >>> f"{share_estimate(3, 6):.3f}", f"{share_estimate(0, 30):.3f}"
    ('0.500 [0.188, 0.812]', '0.000 [0.000, 0.114]')

    Raises ValueError where `count` is not between 0 and `n`.
    """
    if not 0 <= count <= n:
        raise ValueError(f"{count} of {n} is no share.")
    if not n:
        return None
    share = count / n
    deviation = math.sqrt(share * (1 - share) * n / (n - 1)) if n > 1 else None
    return mean_estimate(n=n, mean=share, deviation=deviation, lowest=0, highest=1)


def mean_estimate(
    *,
    n: int,
    mean: float,
    deviation: float | None,
    lowest: float = -math.inf,
    highest: float = math.inf,
) -> Estimate:
    """Estimate a mean of `n` clusters from their mean and sample deviation (None for n = 1).

    The interval is Student's t. Where that passes an end of a scale from 0 or more, it is Wilson's
    with the number of yes-or-no values that vary as much; where all values are at an end, Wilson's
    of n of n. A difference, whose scale starts below 0, keeps Student's t, as its test does.

    >>> f"{mean_estimate(n=5, mean=0.2, deviation=0.2, lowest=0, highest=1):.3f}"
    '0.200 [0.089, 0.391]'
    >>> f"{mean_estimate(n=30, mean=1, deviation=0, lowest=0, highest=1):.3f}"
    '1.000 [0.886, 1.000]'
    """
    from scipy.special import stdtrit

    if n == 1 or deviation is None:
        return Estimate(value=mean, n=n, low=None, high=None)
    half = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * deviation / math.sqrt(n)
    low, high = mean - half, mean + half
    length = highest - lowest
    if length < math.inf:
        to_end = min(mean - lowest, highest - mean)
        if to_end <= REL_TOL * length:
            half = length * Z**2 / (n + Z**2)
            low, high = mean - half, mean + half
        elif lowest >= 0 and to_end < half:
            variance = deviation**2 * (n - 1) / n
            effective_n = n * (mean - lowest) * (highest - mean) / variance
            ends = _wilson((mean - lowest) / length, effective_n)
            low, high = (lowest + length * end for end in ends)
    known = known_ends(max(low, lowest), min(high, highest), clusters=n)
    return Estimate(value=mean, n=n, low=known[0], high=known[1])


def _wilson(share: float, n: float) -> tuple[float, float]:
    half = Z * math.sqrt(share * (1 - share) / n + (Z / (2 * n)) ** 2)
    centre = share + Z**2 / (2 * n)
    return (centre - half) / (1 + Z**2 / n), (centre + half) / (1 + Z**2 / n)


def rate_estimate(count: int, time: float) -> Estimate | None:
    """Estimate the rate of `count` events in `time`; None for no events.

    The interval is the exact one of independent events (Poisson). `n` is the count.

    >>> f"{rate_estimate(10, 5.0):.2f}"
    '2.00 [0.96, 3.68]'
    """
    from scipy.special import gammaincinv

    if not count or time <= 0:
        return None
    tail = (1 - LEVEL) / 2
    return Estimate(
        value=count / time,
        n=count,
        low=float(gammaincinv(count, tail)) / time,
        high=float(gammaincinv(count + 1, 1 - tail)) / time,
    )


def median_estimate(values: Sequence[float]) -> Estimate | None:
    """Estimate the median of independent values of any distribution; None for no values.

    The interval's ends are the values at the binomial ranks of the sign test. Fewer than six
    values have no interval.

    >>> f"{median_estimate([9, 1, 2, 3, 4, 5, 6, 7, 8])}"
    '5 [2, 8]'
    >>> median_estimate([3, 1, 2, 5, 4]).note("items")
    'no interval: fewer than 6 items'
    """
    from scipy.special import bdtr, ndtri

    n = len(values)
    if not n:
        return None
    ordered = sorted(values)
    value = median(ordered)
    tail = (1 - LEVEL) / 2
    # The normal approximation is within two ranks.
    rank = max(0, int(n / 2 + float(ndtri(tail)) * math.sqrt(n) / 2) - 1)
    while rank and bdtr(rank - 1, n, 0.5) > tail:
        rank -= 1
    while bdtr(rank, n, 0.5) <= tail:
        rank += 1
    low = high = None
    if rank:
        low, high = known_ends(ordered[rank - 1], ordered[n - rank], clusters=n)
    return Estimate(value=value, n=n, low=low, high=high, fewest=6)
