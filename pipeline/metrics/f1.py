"""F1_AP of the RARR paper, section 2.3: attribution and preservation in one figure."""

from collections.abc import Sequence

from pipeline.metrics.inference import Estimate, mean_estimate


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
    total = attribution + preservation
    return 2 * attribution * preservation / total if total else 0.0


def f1_ap_of_means(pairs: Sequence[tuple[float, float]]) -> Estimate | None:
    """F1_AP of many passages as the paper's tables have it, with its 95 % interval.

    That is the harmonic mean of the mean attribution and the mean preservation, not the mean
    of the passages' own F1_AP, which is never greater. `pairs` are (attribution,
    preservation) of each passage; None for no passages. The interval is Student's t over the
    passages' shares in the figure to first order (the delta method).

    >>> round(f1_ap_of_means([(0.2, 1.0), (0.6, 0.8)]).value, 4)
    0.5538
    """
    if not pairs:
        return None
    attributions, preservations = zip(*pairs, strict=True)
    mean_attribution = sum(attributions) / len(pairs)
    mean_preservation = sum(preservations) / len(pairs)
    total = mean_attribution + mean_preservation
    by_attribution = 2 * (mean_preservation / total) ** 2 if total else 0.0
    by_preservation = 2 * (mean_attribution / total) ** 2 if total else 0.0
    # F1_AP grows in proportion when both means do, so these add up to it in the mean.
    return mean_estimate(
        [by_attribution * one + by_preservation * other for one, other in pairs],
        lowest=0,
        highest=1,
    )
