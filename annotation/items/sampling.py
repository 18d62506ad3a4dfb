"""Stratified random samples of passages."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Chance = Callable[..., str]
"""`annotation.items.ordering.chance`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EligiblePassage:
    key: int
    stratum: str = ""
    """The run."""
    unit: int | None = None
    """Strata draw the same units; None: `key`."""


def draw_evenly(
    passages: Sequence[EligiblePassage], sizes: Mapping[str, int], *, seed: str, chance: Chance
) -> dict[int, float]:
    """Draw `sizes` of each stratum; return key → inclusion probability.

    >>> eight = [EligiblePassage(key=n) for n in range(8)]
    >>> draw_evenly(eight, {"": 2}, seed="", chance=lambda *parts: str(parts))
    {0: 0.25, 1: 0.25}
    """
    strata: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for each in passages:
        unit = each.key if each.unit is None else each.unit
        strata[each.stratum].append((chance(seed, "sample", unit), each.key))
    return {
        key: min(1.0, sizes[name] / len(members))
        for name, members in strata.items()
        for _, key in sorted(members)[: sizes[name]]
    }


class TooFew(ValueError):
    """There are more strata than passages to draw."""

    def __init__(self, strata: int) -> None:
        super().__init__(strata)
        self.strata = strata


def allocate_proportionally(counts: Mapping[str, int], size: int) -> dict[str, int]:
    """Divide `size` proportionally, but with at least one of each.

    >>> allocate_proportionally({"a": 96, "b": 3, "c": 1}, 10)
    {'a': 8, 'b': 1, 'c': 1}

    Raises `TooFew`.
    """
    _check(counts, size)
    parts = allocate(counts, size)
    alone: dict[str, int] = {}
    # What the smallest get is missing elsewhere, which may leave another one without.
    while missed := [name for name, part in parts.items() if not part and counts[name]]:
        alone |= dict.fromkeys(missed, 1)
        rest = {name: count for name, count in counts.items() if name not in alone}
        parts = allocate(rest, size - len(alone))
    return {name: alone.get(name, parts.get(name, 0)) for name in counts}


def allocate_equally(counts: Mapping[str, int], size: int) -> dict[str, int]:
    """Divide `size` equally, up to the counts.

    >>> allocate_equally({"a": 2, "b": 50, "c": 50}, 31)
    {'a': 2, 'b': 15, 'c': 14}

    Raises `TooFew`.
    """
    _check(counts, size)
    parts = dict.fromkeys(counts, 0)
    left = min(size, sum(counts.values()))
    while left:
        room = [name for name in sorted(counts) if parts[name] < counts[name]]
        each = max(1, left // len(room))
        for name in room[:left]:
            given = min(each, counts[name] - parts[name])
            parts[name] += given
            left -= given
    return parts


def _check(counts: Mapping[str, int], size: int) -> None:
    filled = sum(count > 0 for count in counts.values())
    if size < filled:
        raise TooFew(filled)


def allocate(counts: Mapping[str, int], size: int) -> dict[str, int]:
    """Divide `size` proportionally, by the largest remainder.

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
