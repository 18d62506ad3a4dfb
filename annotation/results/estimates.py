"""How a campaign sampled revisions, as `ratio_estimate` takes it.

Each revision is weighted by one over its inclusion probability. Clusters are passages, which
several systems can have revised, or questions where several answers share one.
"""

from collections.abc import Hashable, Iterable
from typing import NamedTuple, TypedDict


class SampledRevision(NamedTuple):
    run: int
    passage: int
    weight: float
    """One over the probability that the campaign took it."""
    cluster: Hashable


class Design(TypedDict):
    weights: list[float]
    clusters: list[Hashable]


def design_of(sample: Iterable[SampledRevision]) -> Design:
    """The weights and clusters of these revisions, as arguments of `ratio_estimate`."""
    rows = list(sample)
    return {
        "weights": [each.weight for each in rows],
        "clusters": [each.cluster for each in rows],
    }


def is_weighted(design: Design) -> bool:
    """Return whether inclusion probabilities differ."""
    return len(set(design["weights"])) > 1


def is_repeated(design: Design) -> bool:
    """Return whether a cluster occurs more than once."""
    return len(set(design["clusters"])) < len(design["clusters"])
