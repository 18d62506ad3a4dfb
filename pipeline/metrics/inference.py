"""How sure a figure is: 95 % intervals of a mean, a share and a median.

A page prints a figure with its n and its interval; both come from here.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import median

LEVEL = 0.95
"""The share of intervals that hold the true figure."""
Z = 1.959963984540054
"""How many standard deviations of a normal distribution lie on either side of its mean at `LEVEL`.
As scipy computes it, and written out, because scipy is imported only where it is used."""
SAME = 1e-9
"""Of a scale's length: a smaller difference is a sum's rounding error."""
FEWEST_CLUSTERS = 5
"""The fewest distinct clusters (passages, questions) that an interval is computed from."""


def known_ends(
    low: float, high: float, *, clusters: int
) -> tuple[float, float] | tuple[None, None]:
    """The ends of an interval, or None twice where the data do not show how far a figure varies.

    That is so for fewer than `FEWEST_CLUSTERS` clusters, and where both ends are the same: equal
    values have no spread to estimate from. Every interval of a sample goes through here.

    >>> known_ends(0.2, 0.6, clusters=5), known_ends(0.2, 0.6, clusters=4)
    ((0.2, 0.6), (None, None))
    >>> known_ends(1.0, 1.0, clusters=30)
    (None, None)
    """
    if clusters < FEWEST_CLUSTERS or high - low <= SAME * max(1.0, abs(low)):
        return None, None
    return low, high


def interval_note(
    has_interval: bool,
    clusters: int,
    what: str,
    *,
    undefined: int = 0,
    resamples: int = 0,
    fewest: int = FEWEST_CLUSTERS,
) -> str:
    """What a reader must know about an interval: why there is none; empty where there is one.

    >>> interval_note(False, 9, "passages"), interval_note(True, 9, "passages")
    ('no interval: all values are equal', '')
    >>> interval_note(False, 9, "passages", undefined=2, resamples=9)
    'no interval: no value in 2 of 9 resamples'
    """
    if has_interval:
        return ""
    if clusters < fewest:
        return f"no interval: fewer than {fewest} {what}"
    if undefined:
        return f"no interval: no value in {undefined:,} of {resamples:,} resamples"
    return f"no interval: all {'resamples' if resamples else 'values'} are equal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure, how many values it rests on, and the ends of its interval."""

    value: float
    n: int
    low: float | None
    high: float | None
    """Both ends are None where the data do not show the spread: `known_ends`."""
    clusters: int | None = None
    """How many clusters the values come from, where `n` counts something else."""
    undefined: int = 0
    """Resamples in which the figure has no value; there is an interval only where it is 0."""
    resamples: int = 0
    """How many resamples there are; 0 where the interval is a formula's."""
    fewest: int = FEWEST_CLUSTERS
    """Fewer clusters have no interval."""

    def note(self, what: str = "passages") -> str:
        """As `interval_note`; `what` names the clusters.

        >>> Estimate(value=0.5, n=3, low=None, high=None).note()
        'no interval: fewer than 5 passages'
        """
        clusters = self.n if self.clusters is None else self.clusters
        return interval_note(
            self.low is not None, clusters, what, undefined=self.undefined,
            resamples=self.resamples, fewest=self.fewest,
        )  # fmt: skip

    def __format__(self, spec: str) -> str:
        """The figure and its interval, each number by `spec`.

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
    """A sum of parts over a sum of wholes, from a sample of clusters: all means and shares.

    A passage has so many attributable sentences (its part) of so many (its whole); without
    `wholes` each is 1, and the ratio is the mean of the parts. Parts of the same cluster (passages;
    questions where several answers share one) are alike and so are added up first; without
    `clusters` each is a cluster of its own. `n` counts clusters with a whole above 0. `weights`
    are one over each part's chance of being drawn, or a constant times that: Hájek's estimate.

    The interval is Student's t with n - 1 degrees of freedom of the linearised ratio (Cochran
    1977, "Sampling Techniques", section 6.5), as if clusters were drawn with replacement; at an
    end of the scale it is Wilson's. `lowest` and `highest` are the ends: an interval never leaves
    the scale, so give 0 and 1 for shares and scores, and -1 and 1 for differences of them. None
    where the wholes add up to nothing.

    >>> ratio_estimate([1, 3], [2, 4]).value
    0.6666666666666666
    >>> ratio_estimate([1.0, 0.0], weights=[1.0, 3.0]).value
    0.25
    >>> found = ratio_estimate([5, 0, 2, 3, 5, 5], [5] * 6, clusters="abccde", lowest=0, highest=1)
    >>> found.n, f"{found:.2f}"
    (5, '0.67 [0.18, 1.00]')

    Raises ValueError where a weight is not above 0, or lengths differ.
    """
    if weights is not None and any(not weight > 0 for weight in weights):
        raise ValueError("A weight is one over a chance, so it is above 0.")
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
    deviation = math.sqrt(squares / (n - 1)) if n > 1 else None
    return mean_estimate_of_sums(
        n=n, mean=value, deviation=deviation, lowest=lowest, highest=highest
    )


def share_estimate(count: int, n: int) -> Estimate | None:
    """As `ratio_estimate`, of `count` among `n` things that are each a cluster; None for n = 0.

    >>> found = share_estimate(8, 10)
    >>> found.value, round(found.low, 4), found.high
    (0.8, 0.4984, 1)
    >>> share_estimate(3, 4).low is None, share_estimate(0, 0) is None
    (True, True)

    Raises ValueError where `count` is not between 0 and `n`.
    """
    if not 0 <= count <= n:
        raise ValueError(f"{count} of {n} is no share.")
    if not n:
        return None
    share = count / n
    deviation = math.sqrt(share * (1 - share) * n / (n - 1)) if n > 1 else None
    return mean_estimate_of_sums(n=n, mean=share, deviation=deviation, lowest=0, highest=1)


def mean_estimate_of_sums(
    *,
    n: int,
    mean: float,
    deviation: float | None,
    lowest: float = -math.inf,
    highest: float = math.inf,
) -> Estimate:
    """As `ratio_estimate`, of `n` >= 1 clusters whose mean and sample deviation are known.

    `deviation` is not used where `n` is 1: one value has none.

    Where all values lie at one end of the scale, there is no spread to count with: the other end
    of the interval is Wilson's of n of n, on that scale. Where they are equal elsewhere, there is
    no interval.

    >>> found = mean_estimate_of_sums(n=5, mean=0.4, deviation=0.2, lowest=0, highest=1)
    >>> found.n, found.value, round(found.low, 3), round(found.high, 3)
    (5, 0.4, 0.152, 0.648)
    >>> found = mean_estimate_of_sums(n=30, mean=1, deviation=0, lowest=0, highest=1)
    >>> round(found.low, 3), found.high
    (0.886, 1)
    """
    from scipy.special import stdtrit

    if n == 1 or deviation is None:
        return Estimate(value=mean, n=n, low=None, high=None)
    half = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * deviation / math.sqrt(n)
    length = highest - lowest
    if length < math.inf and min(mean - lowest, highest - mean) <= SAME * length:
        half = length * Z**2 / (n + Z**2)
    low, high = known_ends(max(mean - half, lowest), min(mean + half, highest), clusters=n)
    return Estimate(value=mean, n=n, low=low, high=high)


def rate_estimate(count: int, time: float) -> Estimate | None:
    """How often something happens in a unit of time, of `count` times in `time`; None for none.

    The interval is the exact one of events that come independently of each other (Poisson);
    those that come more evenly are within it more often. `n` is the count.

    >>> found = rate_estimate(10, 5.0)
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (2.0, 0.96, 3.68)
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
    """The median of independent values, with the interval that holds whatever their shape.

    The interval's ends are two of the values themselves: those at the ranks that a fair coin,
    thrown once a value, passes on either side with at most `(1 - LEVEL) / 2`. Fewer than six
    values have none at 95 %. None for no values.

    >>> found = median_estimate([9, 1, 2, 3, 4, 5, 6, 7, 8])
    >>> found.value, found.n, found.low, found.high
    (5, 9, 2, 8)
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
    # The rank is within a value or two of the normal distribution's: go on from there.
    rank = max(0, int(n / 2 + float(ndtri(tail)) * math.sqrt(n) / 2) - 1)
    while rank and bdtr(rank - 1, n, 0.5) > tail:
        rank -= 1
    while bdtr(rank, n, 0.5) <= tail:
        rank += 1
    low = high = None
    if rank:
        low, high = known_ends(ordered[rank - 1], ordered[n - rank], clusters=n)
    return Estimate(value=value, n=n, low=low, high=high, fewest=6)
