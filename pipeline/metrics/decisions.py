"""How far automatic decisions are people's: ALCE's analysis of its human study (appendix G.5).

People's answer is taken for right. What an entailment model is there to find are noes: statements
that their citations do not support, citations that are irrelevant. Things come in clusters (the
statements of one answer), so all intervals are over clusters.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.metrics.resampling import Values, resampled_estimate, sums_of_clusters


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One thing that people and a model decided."""

    people: bool
    automatic: bool
    cluster: int
    """What it belongs to: the passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionValidity:
    """What automatic decisions tell of people's; None where there is nothing to tell it by."""

    both_yes: int
    only_people: int
    """People say yes, the model no."""
    only_automatic: int
    both_no: int
    clusters: int
    accuracy: Estimate | None
    """The share decided alike. `n` of shares counts clusters (decision 13)."""
    kappa: Estimate | None
    """Cohen's, at most 1.0; 0.0 is chance. None where chance would decide all alike."""
    noes_found: Estimate | None
    """Recall: the share of people's noes to which the model says no."""
    noes_right: Estimate | None
    """Precision: the share of the model's noes to which people say no."""

    @property
    def n(self) -> int:
        """How many things both decided."""
        return self.both_yes + self.only_people + self.only_automatic + self.both_no


def decision_validity(decided: Sequence[Decided]) -> DecisionValidity:
    """All figures of `decided`.

    >>> found = decision_validity(
    ...     [
    ...         Decided(people=people, automatic=automatic, cluster=place)
    ...         for place, (people, automatic) in enumerate([(1, 1), (1, 0), (0, 0), (0, 0)])
    ...     ]
    ... )
    >>> found.accuracy.value, found.kappa.value, found.noes_found.value
    (0.75, 0.5, 1.0)
    """
    people = np.array([each.people for each in decided], dtype=float)
    automatic = np.array([each.automatic for each in decided], dtype=float)
    numbers = np.unique([each.cluster for each in decided], return_inverse=True)[1]
    clusters = numbers.astype(np.int64)
    alike = (people == automatic).astype(float)
    no, says_no = people == 0, automatic == 0
    both = people * automatic
    sums = np.stack([np.ones(len(people)), people, automatic, both], axis=1)
    return DecisionValidity(
        both_yes=int(both.sum()),
        only_people=int((people - both).sum()),
        only_automatic=int((automatic - both).sum()),
        both_no=int((no & says_no).sum()),
        clusters=len(np.unique(clusters)),
        accuracy=_share(alike, clusters),
        kappa=resampled_estimate(
            _kappa, sums_of_clusters(sums, clusters), n=len(sums), lowest=-1.0
        ),
        noes_found=_share(alike[no], clusters[no]),
        noes_right=_share(alike[says_no], clusters[says_no]),
    )


def _kappa(sums: Values) -> Values:
    """Cohen's kappa of rows of: all, people's yeses, the model's, those of both."""
    n, one, other, both = sums.T
    alike = (n - one - other + 2 * both) / n
    chance = (one * other + (n - one) * (n - other)) / n**2
    known = chance < 1 - 1e-12
    return np.where(known, (alike - chance) / np.where(known, 1 - chance, 1.0), np.nan)


def _share(labels: Values, clusters: NDArray[np.int64]) -> Estimate | None:
    return ratio_estimate(labels.tolist(), clusters=clusters.tolist(), lowest=0, highest=1)
