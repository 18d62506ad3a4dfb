"""How sure a figure is: 95 % intervals of a mean, a share and a median.

A page prints a figure with its n and its interval; both come from here.
"""

import math
from collections.abc import Sequence
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
    """What a reader must know about an interval: why there is none, or how many resamples have no
    value; empty for an ordinary one.

    >>> interval_note(False, 9, "passages"), interval_note(True, 9, "passages")
    ('no interval: all values are equal', '')
    >>> interval_note(True, 9, "passages", undefined=12, resamples=1000)
    'no value in 12 of 1,000 resamples'
    >>> interval_note(False, 9, "passages", undefined=600, resamples=1000)
    'no interval: no value in 600 of 1,000 resamples'
    """
    undefined_note = f"no value in {undefined:,} of {resamples:,} resamples" if undefined else ""
    if has_interval:
        return undefined_note
    if clusters < fewest:
        return f"no interval: fewer than {fewest} {what}"
    if undefined_note and 2 * undefined >= resamples:
        return f"no interval: {undefined_note}"
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
    """Resamples of the bootstrap in which the figure has no value; the interval is of the rest."""
    resamples: int = 0
    """How many resamples were drawn; 0 where the interval is a formula's."""
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


def mean_estimate(
    values: Sequence[float],
    *,
    lowest: float = -math.inf,
    highest: float = math.inf,
) -> Estimate | None:
    """The mean of independent values with Student's t interval; None for no values.

    `lowest` and `highest` are the ends of the scale: an interval never leaves it, so give
    0 and 1 for shares and scores, and -1 and 1 for differences of them.

    >>> found = mean_estimate([0.2, 0.3, 0.4, 0.5, 0.6], lowest=0, highest=1)
    >>> found.n, round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (5, 0.4, 0.204, 0.596)
    >>> mean_estimate([0.2, 0.4, 0.6]).note()
    'no interval: fewer than 5 passages'
    >>> mean_estimate([]) is None
    True
    """
    n = len(values)
    if not n:
        return None
    mean = math.fsum(values) / n
    squares = math.fsum((value - mean) ** 2 for value in values)
    deviation = math.sqrt(squares / (n - 1)) if n > 1 else None
    return mean_estimate_of_sums(
        n=n, mean=mean, deviation=deviation, lowest=lowest, highest=highest
    )


def mean_estimate_of_sums(
    *,
    n: int,
    mean: float,
    deviation: float | None,
    lowest: float = -math.inf,
    highest: float = math.inf,
) -> Estimate:
    """As `mean_estimate`, of `n` >= 1 values whose mean and sample deviation are known.

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


def weighted_mean_estimate(
    values: Sequence[float],
    weights: Sequence[float],
    *,
    lowest: float = -math.inf,
    highest: float = math.inf,
) -> Estimate | None:
    """The mean of a population of which some were drawn more readily than others.

    `weights` are one over each value's chance of being drawn, or a constant times that: Hájek's
    estimate, the weighted values over the weights. Its interval is Student's t of the linearised
    values, as if drawn with replacement, which is on the wide side for large samples; with equal
    weights both are `mean_estimate`'s.

    >>> found = weighted_mean_estimate([1.0, 0.0], [1.0, 3.0])
    >>> found.value, found.n
    (0.25, 2)
    >>> round(weighted_mean_estimate([0.2, 0.4, 0.6], [2, 2, 2]).value, 9)
    0.4

    Raises ValueError where a weight is not above 0, or a value has none.
    """
    return ratio_estimate(values, [1.0] * len(values), weights, lowest=lowest, highest=highest)


def ratio_estimate(
    parts: Sequence[float],
    wholes: Sequence[float],
    weights: Sequence[float],
    *,
    lowest: float = -math.inf,
    highest: float = math.inf,
) -> Estimate | None:
    """A population's sum of parts over its sum of wholes, from a weighted sample of units.

    A unit is what was drawn: a passage with so many attributable sentences (its part) of so many
    (its whole). `n` counts units. `weights` and the interval are as in
    `weighted_mean_estimate`. None where the wholes add up to nothing.

    >>> ratio_estimate([1, 3], [2, 4], [1, 1]).value
    0.6666666666666666

    Raises ValueError where a weight is not above 0, or lengths differ.
    """
    if any(not weight > 0 for weight in weights):
        raise ValueError("A weight is one over a chance, so it is above 0.")
    units = list(zip(parts, wholes, weights, strict=True))
    total = math.fsum(weight * whole for _, whole, weight in units)
    if not total:
        return None
    value = math.fsum(weight * part for part, _, weight in units) / total
    n = len(units)
    # n times each unit's share of the error: their mean is the error, their spread its size.
    errors = [n * weight * (part - value * whole) / total for part, whole, weight in units]
    deviation = math.sqrt(math.fsum(each**2 for each in errors) / (n - 1)) if n > 1 else None
    return mean_estimate_of_sums(
        n=n, mean=value, deviation=deviation, lowest=lowest, highest=highest
    )


def share_estimate(count: int, n: int) -> Estimate | None:
    """The share `count / n` with Wilson's score interval, from 0.0 to 1.0; None for n = 0.

    >>> found = share_estimate(8, 10)
    >>> found.value, round(found.low, 4), round(found.high, 4)
    (0.8, 0.4902, 0.9433)
    >>> share_estimate(3, 4).low is None, share_estimate(0, 0) is None
    (True, True)

    Raises ValueError where `count` is not between 0 and `n`.
    """
    if not 0 <= count <= n:
        raise ValueError(f"{count} of {n} is no share.")
    if not n:
        return None
    share = count / n
    spread = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n * n))
    centre = share + Z**2 / (2 * n)
    scale = 1 + Z**2 / n
    low, high = known_ends(
        # At the ends of the scale the formula gives 0 and 1 but for a rounding error.
        max((centre - spread) / scale, 0.0) if count else 0.0,
        min((centre + spread) / scale, 1.0) if count < n else 1.0,
        clusters=n,
    )
    return Estimate(value=share, n=n, low=low, high=high)


def share_of_units(parts: Sequence[float], wholes: Sequence[float]) -> Estimate | None:
    """A ratio of sums over units; Wilson's interval where each unit has one thing."""
    n = len(wholes)
    if all(whole == 1 for whole in wholes):
        return share_estimate(round(sum(parts)), n)
    return ratio_estimate(parts, wholes, [1.0] * n, lowest=0, highest=1)


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
