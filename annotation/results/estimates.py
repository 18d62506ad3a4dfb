"""How a campaign sampled revisions, as `ratio_estimate` takes it.

Each revision is weighted by one over its inclusion probability. Revisions of one passage by
several systems are one cluster: they are not independent, so their interval is wider.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypedDict


class SampledRevision(NamedTuple):
    run: int
    passage: int
    weight: float
    """One over the probability that the campaign took it."""


class Design(TypedDict):
    weights: list[float]
    clusters: list[int]


def design_of(sample: Iterable[SampledRevision]) -> Design:
    """The weights and clusters of these revisions, as arguments of `ratio_estimate`."""
    rows = list(sample)
    return {
        "weights": [each.weight for each in rows],
        "clusters": [each.passage for each in rows],
    }


def is_weighted(design: Design) -> bool:
    """Return whether inclusion probabilities differ."""
    return len(set(design["weights"])) > 1


def is_repeated(design: Design) -> bool:
    """Return whether a passage occurs more than once."""
    return len(set(design["clusters"])) < len(design["clusters"])
