"""Automatic against human decisions: ALCE's analysis of its human study (appendix G.5).

Human decisions are the truth. The class to detect is no: unsupported statements, irrelevant
citations. All intervals are over clusters (the statements of one answer).
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.metrics.reliability import cohen_kappa
from pipeline.metrics.resampling import cluster_numbers


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
    pairs = [(int(each.people), int(each.automatic)) for each in decisions]
    counts = Counter(pairs)
    clusters = cluster_numbers([each.cluster for each in decisions]).tolist()
    return DecisionValidity(
        both_yes=counts[1, 1],
        only_people=counts[1, 0],
        only_automatic=counts[0, 1],
        both_no=counts[0, 0],
        clusters=len(set(clusters)),
        accuracy=_accuracy(decisions),
        kappa=cohen_kappa(Counter(zip(clusters, pairs, strict=True)), categories=2),
        negative_recall=_accuracy([each for each in decisions if not each.people]),
        negative_precision=_accuracy([each for each in decisions if not each.automatic]),
    )


def _accuracy(decisions: Sequence[Decision]) -> Estimate | None:
    equal = [float(each.people == each.automatic) for each in decisions]
    clusters = [each.cluster for each in decisions]
    return ratio_estimate(equal, clusters=clusters, lowest=0, highest=1)
