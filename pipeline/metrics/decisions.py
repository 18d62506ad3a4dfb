"""Automatic against human decisions: ALCE's analysis of its human study (appendix G.5).

Human decisions are the truth. The class to detect is no: unsupported statements, irrelevant
citations. All intervals are over clusters (the statements of one answer).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.metrics.resampling import (
    Values,
    cluster_numbers,
    resampled_estimate,
    sums_of_clusters,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision about one thing, by people and by a model."""

    people: bool
    automatic: bool
    cluster: Hashable
    """The passage or question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionValidity:
    """Figures are None where they are undefined; the `n` of shares counts clusters."""

    both_yes: int
    only_people: int
    """Yes by people, no by the model."""
    only_automatic: int
    both_no: int
    clusters: int
    accuracy: Estimate | None
    kappa: Estimate | None
    """Cohen's, -1.0 to 1.0; 0.0 is chance."""
    negative_recall: Estimate | None
    """The share of people's noes that are the model's, too."""
    negative_precision: Estimate | None
    """The share of the model's noes that are people's, too."""

    @property
    def n(self) -> int:
        """The number of decisions."""
        return self.both_yes + self.only_people + self.only_automatic + self.both_no


def decision_validity(decisions: Sequence[Decision]) -> DecisionValidity:
    """Compute all figures."""
    people = np.array([each.people for each in decisions], dtype=float)
    automatic = np.array([each.automatic for each in decisions], dtype=float)
    clusters = cluster_numbers([each.cluster for each in decisions])
    equal = (people == automatic).astype(float)
    both = people * automatic
    sums = np.stack([np.ones(len(people)), people, automatic, both], axis=1)
    return DecisionValidity(
        both_yes=int(both.sum()),
        only_people=int((people - both).sum()),
        only_automatic=int((automatic - both).sum()),
        both_no=int(((people == 0) & (automatic == 0)).sum()),
        clusters=len(np.unique(clusters)),
        accuracy=_share(equal, clusters),
        kappa=resampled_estimate(
            _kappa, sums_of_clusters(sums, clusters), n=len(sums), lowest=-1.0
        ),
        negative_recall=_share(equal[people == 0], clusters[people == 0]),
        negative_precision=_share(equal[automatic == 0], clusters[automatic == 0]),
    )


def _kappa(sums: Values) -> Values:
    """Cohen's kappa of sums (B, 4): all, people's yeses, the model's, those of both."""
    n, one, other, both = sums.T
    observed = (n - one - other + 2 * both) / n
    chance = (one * other + (n - one) * (n - other)) / n**2
    is_defined = chance < 1 - 1e-12
    return np.where(is_defined, (observed - chance) / np.where(is_defined, 1 - chance, 1), np.nan)


def _share(labels: Values, clusters: NDArray[np.int64]) -> Estimate | None:
    return ratio_estimate(labels.tolist(), clusters=clusters.tolist(), lowest=0, highest=1)
