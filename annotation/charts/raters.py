"""The reliability between raters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.text import capfirst

from annotation.models import Campaign
from annotation.results.reliability import Group, campaign_reliability
from pipeline.charts.chart import Span
from pipeline.charts.intervals import Entry, Intervals, Row
from pipeline.pages.charts import with_interval

if TYPE_CHECKING:
    from pipeline.metrics.reliability import Reliability, ReliabilityReport


def reliability_chart(campaign: Campaign, phase: str) -> Intervals | None:
    """Raw agreement and what is left of it beyond chance, by criterion, side and system."""
    found = campaign_reliability(campaign, phase=phase)
    rows = [
        Row(
            name=_row_name(each.criterion.name, group),
            entries=_entries(group.report, is_ordinal=each.criterion.is_ordinal),
        )
        for each in found.criteria
        for group in each.groups
    ]
    if not any(entry.span for row in rows for entry in row.entries):
        return None
    alpha = rows[0].entries[1]
    return Intervals(
        title="Reliability between raters",
        finding=(
            "Krippendorff’s alpha of “{row}” is {alpha}, n = {n} compared. Bars are 95 % "
            "intervals; but for raw agreement 0 is chance, 1 is full agreement."
        ).format(
            row=rows[0].name,
            alpha=with_interval(alpha.span) if alpha.span else "undefined",
            n=f"{alpha.n:,}",
        ),
        x="Agreement",
        rows=tuple(rows),
        low=0,
        high=1,
        head=(
            "Answers",
            "Figure",
            "compared",
            "value",
            "low",
            "high",
            "note",
        ),
        has_baseline=True,
    )


def _row_name(criterion: str, group: Group) -> str:
    part = group.runs.label if group.runs else group.side
    return ", ".join(filter(None, [capfirst(criterion.replace("_", " ")), part]))


def _entries(report: ReliabilityReport, *, is_ordinal: bool) -> tuple[Entry, ...]:
    alpha = report.alpha_ordinal if is_ordinal else report.alpha_nominal
    return (
        _entry("raw agreement", report.raw),
        _entry("Krippendorff’s alpha", alpha),
        _entry("Gwet’s AC1", report.gwet_ac1),
    )


def _entry(series: str, figure: Reliability) -> Entry:
    span = None
    if figure.value is not None:
        span = Span(value=figure.value, low=figure.low, high=figure.high, note=figure.note)
    return Entry(series=series, span=span, n=figure.targets)
