"""Weights and clusters of sampled revisions, as arguments of `ratio_estimate`.

Clusters are passages, which several systems can have revised, or questions with several answers.
"""

from collections.abc import Hashable, Iterable
from typing import NamedTuple, TypedDict


class SampledRevision(NamedTuple):
    run: int
    passage: int
    weight: float
    """One over the inclusion probability."""
    cluster: Hashable


class Design(TypedDict):
    weights: list[float]
    clusters: list[Hashable]


def design_of(sample: Iterable[SampledRevision]) -> Design:
    rows = list(sample)
    return {
        "weights": [each.weight for each in rows],
        "clusters": [each.cluster for each in rows],
    }


def is_weighted(design: Design) -> bool:
    """Return whether inclusion probabilities differ."""
    return len(set(design["weights"])) > 1


def is_clustered(design: Design) -> bool:
    """Return whether a cluster occurs more than once."""
    return len(set(design["clusters"])) < len(design["clusters"])
