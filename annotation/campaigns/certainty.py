"""How sure Attr_AIS will be, before anybody judges: a guess from the runs' auto-AIS."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, F

from annotation.items.selection import Outlook
from annotation.models import Campaign
from annotation.results.with_auto_ais import FEWEST
from pipeline.models import Revision, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Certainty:
    """± what the 95 % interval of Attr_AIS will be, in points: hundredths of the scale from 0 to 1.
    Of several runs, that of the one that will be known least well."""

    alone: int
    with_auto_ais: int
    """As wide where all passages of that run are judged, or too few."""


def read_score_spread(runs: Sequence[Run], side: str) -> Mapping[int, Mapping[str, Any]]:
    """Run to the number, mean and mean square of its auto-AIS scores. One query."""
    score = "attribution_before" if side == Campaign.Side.BEFORE else "attribution_after"
    rows = (
        Revision.objects.filter(run__in=runs, state=Revision.State.DONE)
        .order_by()
        .values("run")
        .annotate(n=Count(score), mean=Avg(score), square=Avg(F(score) * F(score)))
    )
    return {row["run"]: row for row in rows if row["n"]}


def certainty_of(outlook: Outlook, spread: Mapping[int, Mapping[str, Any]]) -> Certainty | None:
    """None where a run has no scores to guess by, or gives fewer than two passages, and for no
    run."""
    from pipeline.metrics.prediction_powered import guessed_half_widths

    if not outlook.strata:
        return None
    alone, powered = [], []
    for each in outlook.strata:
        row = spread.get(each.run.pk)
        widths = row and guessed_half_widths(
            row["mean"], row["square"], labels=each.drawn, passages=each.passages
        )
        if not widths:
            return None
        alone.append(widths[0])
        powered.append(widths[1] if FEWEST <= each.drawn < each.passages else widths[0])
    return Certainty(alone=_points(max(alone)), with_auto_ais=_points(max(powered)))


def _points(width: float) -> int:
    return max(round(100 * width), 1)
