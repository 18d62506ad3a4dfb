"""Stratified random samples of passages."""

from collections import defaultdict
from collections.abc import Callable, Sequence
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
    passages: Sequence[EligiblePassage], size: int, *, seed: str, chance: Chance
) -> dict[int, float]:
    """Draw `size` of each stratum; return key → inclusion probability.

    >>> eight = [EligiblePassage(key=n) for n in range(8)]
    >>> draw_evenly(eight, 2, seed="", chance=lambda *parts: str(parts))
    {0: 0.25, 1: 0.25}
    """
    strata: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for each in passages:
        unit = each.key if each.unit is None else each.unit
        strata[each.stratum].append((chance(seed, "sample", unit), each.key))
    return {
        key: min(1.0, size / len(members))
        for members in strata.values()
        for _, key in sorted(members)[:size]
    }
