"""Rows of the joined table compared passage by passage, over the passages that both have."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeVar

from annotation.results.estimates import Drawn, are_repeated, are_weighted
from pipeline.metrics.differences import NO_LEAD, Lead, paired_p
from pipeline.metrics.inference import ratio_estimate

Value = TypeVar("Value")
Shares = Callable[[Sequence[Value], Sequence[float] | None], Sequence[float]]
"""What each revision has in a figure, by its value and weight; the figure is their mean."""


def lead_of(
    own: Sequence[tuple[Drawn, Value]],
    others: Sequence[tuple[Drawn, Value]],
    shares: Shares[Value],
) -> Lead:
    """The lead of one figure over another one, from what it is made of in each revision."""
    passages = {each.passage for each, _ in own} & {each.passage for each, _ in others}
    one, other = (
        sorted((row for row in rows if row[0].passage in passages), key=lambda row: row[0].passage)
        for rows in (own, others)
    )
    if not one:
        return NO_LEAD
    if are_repeated([each for each, _ in one]) or are_repeated([each for each, _ in other]):
        differences, weights = _of_repeated(one, other, shares), None
    else:
        # Runs over one dataset draw the same passages as far as they can (decision 9), so the
        # chance that both have one is the lesser.
        both = [max(a.weight, b.weight) for (a, _), (b, _) in zip(one, other, strict=True)]
        weights = both if len(set(both)) > 1 else None
        differences = [
            a - b
            for a, b in zip(
                shares([value for _, value in one], weights),
                shares([value for _, value in other], weights),
                strict=True,
            )
        ]
    estimate = ratio_estimate(differences, weights=weights, lowest=-1, highest=1)
    return Lead(estimate, paired_p(differences, weights))


def _of_repeated(
    one: Sequence[tuple[Drawn, Value]],
    other: Sequence[tuple[Drawn, Value]],
    shares: Shares[Value],
) -> list[float]:
    """What each passage has in the difference, its repeats together: their mean is the
    difference of the two figures, their spread that of its linearisation."""
    (a, of_a), (b, of_b) = (_errors(rows, shares) for rows in (one, other))
    return [a - b + of_a[passage] - of_b[passage] for passage in of_a]


def _errors(
    rows: Sequence[tuple[Drawn, Value]], shares: Shares[Value]
) -> tuple[float, dict[int, float]]:
    """A figure, and by the passage n times its part of the figure's error."""
    drawn = [each for each, _ in rows]
    weights = [each.weight for each in drawn]
    found = shares([value for _, value in rows], weights if are_weighted(drawn) else None)
    total = sum(weights)
    figure = sum(w * share for w, share in zip(weights, found, strict=True)) / total
    n = len({each.passage for each in drawn})
    errors: dict[int, float] = defaultdict(float)
    for each, share in zip(drawn, found, strict=True):
        errors[each.passage] += n * each.weight * (share - figure) / total
    return figure, errors
