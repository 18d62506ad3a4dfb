"""Paired differences between rows of the joined table, over their common passages."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from annotation.results.estimates import SampledRevision, design_of, is_repeated, is_weighted
from pipeline.metrics.differences import NO_LEAD, Lead, paired_p
from pipeline.metrics.inference import ratio_estimate

Value = TypeVar("Value")
SampledValues = Sequence[tuple[SampledRevision, Value]]
"""A value of each revision of one row of the table."""
Shares = Callable[[Sequence[Value], Sequence[float] | None], Sequence[float]]
"""From revisions' values and weights to numbers, whose weighted mean is the figure."""


def lead_of(
    compared: SampledValues[Value], others: SampledValues[Value], shares: Shares[Value]
) -> Lead:
    """Estimate the figure of `compared` less that of `others`."""
    passages = {each.passage for each, _ in compared} & {each.passage for each, _ in others}
    one, other = (
        sorted((row for row in rows if row[0].passage in passages), key=lambda row: row[0].passage)
        for rows in (compared, others)
    )
    if not one:
        return NO_LEAD
    if any(is_repeated(design_of(each for each, _ in rows)) for rows in (one, other)):
        weights = None
        differences = _differences_of_repeated(one, other, shares)
    else:
        # Samples of runs over one dataset overlap as far as they can, so the inclusion probability
        # of both is the lower one.
        both = [max(a.weight, b.weight) for (a, _), (b, _) in zip(one, other, strict=True)]
        weights = both if len(set(both)) > 1 else None
        of_one, of_other = (shares([value for _, value in rows], weights) for rows in (one, other))
        differences = [a - b for a, b in zip(of_one, of_other, strict=True)]
    estimate = ratio_estimate(differences, weights=weights, lowest=-1, highest=1)
    return Lead(estimate, paired_p(differences, weights))


def _differences_of_repeated(
    one: SampledValues[Value], other: SampledValues[Value], shares: Shares[Value]
) -> list[float]:
    """Return a number for each cluster; both arguments have the same clusters.

    Their mean is the difference of the figures; their variance over n estimates its variance.
    """
    (a, errors_of_a), (b, errors_of_b) = (_errors(rows, shares) for rows in (one, other))
    return [a - b + errors_of_a[key] - errors_of_b[key] for key in errors_of_a]


def _errors(
    rows: SampledValues[Value], shares: Shares[Value]
) -> tuple[float, dict[Hashable, float]]:
    """Return the figure, and n times the part of each of n clusters in its linearised error."""
    design = design_of(each for each, _ in rows)
    weights, clusters = design["weights"], design["clusters"]
    values = shares([value for _, value in rows], weights if is_weighted(design) else None)
    total = sum(weights)
    figure = sum(w * value for w, value in zip(weights, values, strict=True)) / total
    n = len(set(clusters))
    errors: dict[Hashable, float] = defaultdict(float)
    for cluster, weight, value in zip(clusters, weights, values, strict=True):
        errors[cluster] += n * weight * (value - figure) / total
    return figure, errors
