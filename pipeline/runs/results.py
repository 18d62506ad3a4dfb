"""What came out of runs: their figures over the revised passages."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, F, StdDev

from pipeline.metrics.attribution import f1_ap_of_means
from pipeline.metrics.inference import (
    Estimate,
    mean_estimate,
    mean_estimate_of_sums,
    share_estimate,
)
from pipeline.models import Revision, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """A run's figures over its revised passages, each with its n and 95 % interval.

    None where no passage has the figure.
    """

    attribution_before: Estimate | None
    attribution_after: Estimate | None
    attribution_gain: Estimate | None
    """The mean of the differences, passage by passage; -1.0 to 1.0."""
    preservation: Estimate | None
    f1_ap: Estimate | None
    """Of the mean attribution after and the mean preservation, as in the paper's Table 2."""
    changed: Estimate | None


def run_results(run: Run) -> Results | None:
    """The run's figures so far; None before the first passage is revised."""
    columns = ("attribution_before", "attribution_after", "preservation", "is_changed")
    done = Revision.objects.filter(run=run, state=Revision.State.DONE).order_by()
    rows = list(done.values_list(*columns))
    if not rows:
        return None
    before, after, preservation, changed = zip(*rows, strict=True)
    gains = [b - a for a, b in zip(before, after, strict=True) if a is not None and b is not None]
    both = [pair for pair in zip(after, preservation, strict=True) if None not in pair]
    return Results(
        attribution_before=mean_of_known(before),
        attribution_after=mean_of_known(after),
        attribution_gain=mean_estimate(gains, lowest=-1, highest=1),
        preservation=mean_of_known(preservation),
        f1_ap=f1_ap_of_means(both),
        changed=share_estimate(sum(changed), len(changed)),
    )


def mean_of_known(values: Iterable[float | None], *, highest: float = 1) -> Estimate | None:
    """The mean of those that are there, from 0."""
    return mean_estimate([v for v in values if v is not None], lowest=0, highest=highest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Mean Attr_auto before and after of the revised passages that have both, and the gain."""

    before: float
    after: float
    gain: Estimate


def mean_attribution_of(some: Iterable[Run]) -> dict[int, Attribution]:
    """The mean attribution of several runs by their id, in one query; none for nothing to score."""
    difference = F("attribution_after") - F("attribution_before")
    more = {"before": Avg("attribution_before"), "after": Avg("attribution_after")}
    return {
        row["run_id"]: Attribution(before=row["before"], after=row["after"], gain=gain)
        for row, gain in means_by_run(some, difference, lowest=-1, **more)
    }


def means_by_run(
    some: Iterable[Run], value: Any, *, lowest: float, **more: Avg
) -> Iterator[tuple[dict[str, Any], Estimate]]:
    """The mean of a figure of finished passages that have it, from `lowest` to 1, of each run that
    has some, beside a row of its `run_id` and `more` means of the same passages. One query."""
    done = Revision.objects.filter(run__in=list(some), state=Revision.State.DONE).order_by()
    rows: Iterable[Any] = (
        done.annotate(value=value)
        .filter(value__isnull=False)
        .values("run_id")
        # Of the population: SQLite's sample deviation fails on a single row.
        .annotate(n=Count("pk"), mean=Avg("value"), spread=StdDev("value"), **more)
    )
    for row in rows:
        n = row["n"]
        deviation = row["spread"] * math.sqrt(n / (n - 1)) if n > 1 else None
        yield (
            row,
            mean_estimate_of_sums(
                n=n, mean=row["mean"], deviation=deviation, lowest=lowest, highest=1
            ),
        )
