"""How much of a text its sources support: Attr of the RARR paper, section 2.1; and F1_AP,
section 2.3, which weighs it against preservation."""

import math
from collections.abc import Sequence

from pipeline.metrics.f1 import harmonic_mean
from pipeline.metrics.inference import Estimate, ratio_estimate


def attribution(sentence_scores: Sequence[float]) -> float | None:
    """The mean over sentences of each one's attribution, from 0.0 to 1.0.

    Attr_AIS (equation 1) when the scores are raters' 0s and 1s, Attr_auto (equation 2) when
    each is `best_entailment` of a sentence. None for a text without sentences: there is
    nothing to score.

    >>> attribution([1.0, 0.5])
    0.75
    >>> attribution([]) is None
    True
    """
    if not sentence_scores:
        return None
    return sum(sentence_scores) / len(sentence_scores)


def restrictive(entailed: float, contradicted: float | None) -> float | None:
    """What a sentence counts where no source may contradict it (section 9), 0.0 to 1.0.

    The paper's own definition is permissive: any source that supports a sentence is enough. Here
    the sentence counts nothing where a source contradicts it with a greater probability than the
    best source entails it. None where the entailment model knows no contradiction.

    >>> restrictive(0.9, 0.2), restrictive(0.6, 0.8), restrictive(0.9, None)
    (0.9, 0.0, None)
    """
    if contradicted is None:
        return None
    return 0.0 if contradicted > entailed else entailed


def best_entailment(entailed: Sequence[float]) -> tuple[float, int | None]:
    """max over e in A of NLI(e, s), and which e that is; the first of equals.

    `entailed` holds NLI(e, s) of one sentence for each e of the report. An empty report
    supports nothing: 0.0, by no evidence.

    >>> best_entailment([0.2, 0.9, 0.9])
    (0.9, 1)
    >>> best_entailment([])
    (0.0, None)
    """
    if not entailed:
        return 0.0, None
    best = max(range(len(entailed)), key=entailed.__getitem__)
    return entailed[best], best


def f1_ap(attribution: float | None, preservation: float | None) -> float | None:
    """The harmonic mean of attribution and preservation, from 0.0 to 1.0.

    None where either is unknown; 0.0 where both are 0.

    >>> f1_ap(1.0, 0.5)
    0.6666666666666666
    >>> f1_ap(0.0, 0.0)
    0.0
    >>> f1_ap(None, 1.0) is None
    True
    """
    if attribution is None or preservation is None:
        return None
    return harmonic_mean(attribution, preservation)


def f1_ap_of_means(pairs: Sequence[tuple[float, float]]) -> Estimate | None:
    """F1_AP of many passages as the paper's tables have it, with its 95 % interval.

    That is the harmonic mean of the mean attribution and the mean preservation, not the mean
    of the passages' own F1_AP, which is never greater. `pairs` are (attribution,
    preservation) of each passage; None for no passages. The interval is Student's t over the
    passages' shares in the figure to first order (the delta method).

    >>> round(f1_ap_of_means([(0.2, 1.0), (0.6, 0.8)]).value, 4)
    0.5538
    """
    return ratio_estimate(f1_ap_shares(pairs), lowest=0, highest=1)


def f1_ap_shares(
    pairs: Sequence[tuple[float, float]], weights: Sequence[float] | None = None
) -> list[float]:
    """What each passage has in F1_AP of the means, to first order; their mean is that F1_AP.

    `weights` are one over each passage's chance of being drawn, if these differ.

    >>> [round(share, 4) for share in f1_ap_shares([(0.2, 1.0), (0.6, 0.8)])]
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
    # F1_AP grows in proportion when both means do, so these add up to it in the mean.
    return [by_attribution * one + by_preservation * other for one, other in pairs]


def _weighted_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    # Exact sums: the figure does not hang on the order in which passages are read.
    products = (weight * value for weight, value in zip(weights, values, strict=True))
    return math.fsum(products) / math.fsum(weights)
