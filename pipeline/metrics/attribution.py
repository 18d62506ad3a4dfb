"""Attribution (RARR, section 2.1) and F1_AP, its mean with preservation (section 2.3)."""

import math
from collections.abc import Hashable, Sequence

from pipeline.metrics.f1 import harmonic_mean
from pipeline.metrics.inference import Estimate, ratio_estimate


def attribution(sentence_scores: Sequence[float]) -> float | None:
    """The mean over sentences, 0.0 to 1.0; None without sentences.

    It is Attr_AIS (equation 1) for raters' 0s and 1s, Attr_auto (equation 2) for `best_entailment`.

    >>> attribution([1.0, 0.5]), attribution([])
    (0.75, None)
    """
    if not sentence_scores:
        return None
    return sum(sentence_scores) / len(sentence_scores)


def restrictive(entailed: float, contradicted: float | None) -> float | None:
    """A sentence's attribution where no source may contradict it (section 9), 0.0 to 1.0.

    0.0 where a source contradicts it with a greater probability than the best source entails it.
    None where the entailment model has no contradiction.

    >>> restrictive(0.9, 0.2), restrictive(0.6, 0.8), restrictive(0.9, None)
    (0.9, 0.0, None)
    """
    if contradicted is None:
        return None
    return 0.0 if contradicted > entailed else entailed


def best_entailment(entailed: Sequence[float]) -> tuple[float, int | None]:
    """The maximum of NLI(e, s) over the evidence e of a report, and its index (the first).

    0.0 and None for an empty report.
    """
    if not entailed:
        return 0.0, None
    best = max(range(len(entailed)), key=entailed.__getitem__)
    return entailed[best], best


def f1_ap(attribution: float | None, preservation: float | None) -> float | None:
    """The harmonic mean of attribution and preservation, 0.0 to 1.0; None if either is None.

    >>> f1_ap(1.0, 0.5), f1_ap(0.0, 0.0), f1_ap(None, 1.0)
    (0.6666666666666666, 0.0, None)
    """
    if attribution is None or preservation is None:
        return None
    return harmonic_mean(attribution, preservation)


def f1_ap_of_means(
    pairs: Sequence[tuple[float, float]], clusters: Sequence[Hashable] | None = None
) -> Estimate | None:
    """Estimate the harmonic mean of the mean attribution and the mean preservation.

    As in the paper's tables, with the delta method's interval. `pairs` are (attribution,
    preservation) of each passage, `clusters` those of `ratio_estimate`; None without any.

    >>> round(f1_ap_of_means([(0.2, 1.0), (0.6, 0.8)]).value, 4)
    0.5538
    """
    return ratio_estimate(f1_ap_contributions(pairs), clusters=clusters, lowest=0, highest=1)


def f1_ap_contributions(
    pairs: Sequence[tuple[float, float]], weights: Sequence[float] | None = None
) -> list[float]:
    """Each passage's part of F1_AP of the means, to first order; their mean is that F1_AP.

    `weights` are those of `ratio_estimate`.

    >>> [round(each, 4) for each in f1_ap_contributions([(0.2, 1.0), (0.6, 0.8)])]
    [0.3811, 0.7266]
    """
    if not pairs:
        return []
    weights = weights or [1.0] * len(pairs)
    attributions, preservations = zip(*pairs, strict=True)
    mean_attribution = _weighted_mean(attributions, weights)
    mean_preservation = _weighted_mean(preservations, weights)
    total = mean_attribution + mean_preservation
    by_attribution = 2 * (mean_preservation / total) ** 2 if total else 0.0
    by_preservation = 2 * (mean_attribution / total) ** 2 if total else 0.0
    return [by_attribution * one + by_preservation * other for one, other in pairs]


def _weighted_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    # Exact sums do not depend on the order of passages.
    products = (weight * value for weight, value in zip(weights, values, strict=True))
    return math.fsum(products) / math.fsum(weights)
