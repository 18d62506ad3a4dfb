"""Reliability between raters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.text import capfirst

from annotation.models import Campaign
from annotation.results.reliability import GroupReliability, campaign_reliability
from pipeline.charts.chart import ChartValue
from pipeline.charts.intervals import Entry, Intervals, Row
from pipeline.pages.charts import with_interval

if TYPE_CHECKING:
    from pipeline.metrics.reliability import Reliability


def reliability_chart(campaign: Campaign, phase: str) -> Intervals | None:
    """Chart raw agreement, alpha and AC1 by criterion, side and system."""
    reliability = campaign_reliability(campaign, phase=phase)
    rows = [
        Row(
            name=_row_name(each.criterion.name, group),
            entries=(
                _entry("raw agreement", group.report.raw),
                _entry(
                    "Krippendorff’s alpha",
                    group.report.alpha_ordinal
                    if each.criterion.is_ordinal
                    else group.report.alpha_nominal,
                ),
                _entry("Gwet’s AC1", group.report.gwet_ac1),
            ),
        )
        for each in reliability.criteria
        for group in each.groups
    ]
    if not any(entry.span for row in rows for entry in row.entries):
        return None
    alpha = rows[0].entries[1]
    return Intervals(
        title="Reliability between raters",
        finding=(
            f"Krippendorff’s alpha of “{rows[0].name}” is "
            f"{with_interval(alpha.span) if alpha.span else 'undefined'}, n = {alpha.n:,} "
            "compared. Bars are 95 % intervals; but for raw agreement 0 is chance, 1 is full "
            "agreement."
        ),
        x="Agreement",
        rows=tuple(rows),
        low=0,
        high=1,
        head=("Answers", "Figure", "compared", "value", "low", "high", "note"),
        has_baseline=True,
    )


def _row_name(criterion: str, group: GroupReliability) -> str:
    part = group.runs.label if group.runs else group.side
    return ", ".join(filter(None, [capfirst(criterion.replace("_", " ")), part]))


def _entry(series: str, figure: Reliability) -> Entry:
    span = None
    if figure.value is not None:
        span = ChartValue(value=figure.value, low=figure.low, high=figure.high, note=figure.note)
    return Entry(series=series, span=span, n=figure.targets)
