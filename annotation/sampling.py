"""Which passages a campaign takes, and with what chance each of them was taken.

Pure: passages in, chances out. The chance stays with each item; one over it is the weight by
which `pipeline.metrics.inference.weighted_mean_estimate` makes unbiased figures of a sample that
took some passages more readily than others.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

Chance = Callable[..., str]
"""Parts to 64 hexadecimal digits that look random: `annotation.orders.chance`."""

FLOOR = 0.1
"""A passage that auto-AIS is sure of is drawn a tenth as readily as the most doubtful one. Without
a floor it would never be, and what people say of such passages would not be known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One passage that could be taken."""

    key: int
    stratum: str = ""
    """What the sample should have its share of: the dataset and the system."""
    doubt: float = 1.0
    """How unsure auto-AIS is, 0 to 1 (`doubt_of`)."""


def doubt_of(entailed: Sequence[float | None]) -> float:
    """How unsure auto-AIS is of a passage, by the entailment of its sentences: 0 sure, 1 not.

    4p(1 − p) of each sentence, and their mean: most at one half. What was not scored is unsure.

    >>> doubt_of([0.5, 1.0]), doubt_of([0.0]), doubt_of([None]), doubt_of([])
    (0.5, 0.0, 1.0, 1.0)
    """
    return fmean(1.0 if p is None else 4 * p * (1 - p) for p in entailed) if entailed else 1.0


def draw_evenly(
    passages: Sequence[Passage], size: int, *, seed: str, chance: Chance
) -> dict[int, float]:
    """`size` passages at random, each stratum by its share: key to chance of being taken.

    >>> eight = [Passage(key=n) for n in range(8)]
    >>> draw_evenly(eight, 2, seed="", chance=lambda *parts: str(parts))
    {0: 0.25, 1: 0.25}
    """
    strata: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        strata[passage.stratum].append(passage)
    sizes = allocate({name: len(found) for name, found in strata.items()}, size)
    drawn = {}
    for name, found in strata.items():
        shuffled = sorted(found, key=lambda each: chance(seed, "sample", each.key))
        for each in shuffled[: sizes[name]]:
            drawn[each.key] = sizes[name] / len(found)
    return drawn


def allocate(counts: Mapping[str, int], size: int) -> dict[str, int]:
    """Of `size`, each stratum's part by its count: whole numbers by the largest remainder.

    >>> allocate({"a": 50, "b": 30, "c": 20}, 7)
    {'a': 4, 'b': 2, 'c': 1}
    >>> allocate({"a": 2, "b": 1}, 10)
    {'a': 2, 'b': 1}
    """
    total = sum(counts.values())
    if size >= total:
        return dict(counts)
    exact = {name: size * count / total for name, count in counts.items()}
    parts = {name: math.floor(share) for name, share in exact.items()}
    by_remainder = sorted(counts, key=lambda name: (parts[name] - exact[name], name))
    for name in by_remainder[: size - sum(parts.values())]:
        parts[name] += 1
    return parts


def draw_doubtful(
    passages: Sequence[Passage], size: int, *, seed: str, chance: Chance
) -> dict[int, float]:
    """`size` passages, the more readily the more doubtful: key to chance of being taken.

    Chances are in proportion to doubt, at least `FLOOR` of the greatest, and 1 where that would
    be more. One draw then walks along them in equal steps (systematic sampling), over strata one
    after the other, so that each has its share; within a stratum the order is shuffled.
    """
    chances = inclusion({each.key: max(each.doubt, FLOOR) for each in passages}, size)
    walked = sorted(passages, key=lambda each: (each.stratum, chance(seed, "sample", each.key)))
    start = int(chance(seed, "start")[:13], 16) / 16**13
    drawn = {}
    reached = 0.0
    for each in walked:
        before = math.ceil(reached - start)
        reached += chances[each.key]
        # A chance of 1 is a passage that is taken, whatever rounding has added up to.
        if math.ceil(reached - start) > before or chances[each.key] >= 1:
            drawn[each.key] = chances[each.key]
    return drawn


def inclusion(sizes: Mapping[int, float], n: int) -> dict[int, float]:
    """Chances that are in proportion to `sizes`, at most 1, and add up to `n`.

    >>> inclusion({1: 1.0, 2: 1.0, 3: 2.0}, 2)
    {1: 0.5, 2: 0.5, 3: 1.0}
    """
    if n >= len(sizes):
        return dict.fromkeys(sizes, 1.0)
    sure: set[int] = set()
    while True:
        rest = math.fsum(size for key, size in sizes.items() if key not in sure)
        left = n - len(sure)
        over = {
            key for key, size in sizes.items() if key not in sure and left * size >= rest
        }  # fmt: skip
        if not over:
            break
        sure |= over
        if len(sure) >= n:
            break
    rest = math.fsum(size for key, size in sizes.items() if key not in sure)
    left = n - len(sure)
    return {key: 1.0 if key in sure else left * size / rest for key, size in sizes.items()}
