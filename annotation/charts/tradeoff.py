"""Attribution and preservation of runs in the joined table."""

from collections.abc import Sequence
from typing import NamedTuple

from pipeline.charts.chart import ChartValue
from pipeline.charts.tradeoff import Point, Tradeoff
from pipeline.figures.comparison import ComparedRow
from pipeline.metrics.attribution import f1_ap
from pipeline.pages.charts import highest, span_of
from pipeline.runs.lifecycle import short_names


class _Measure(NamedTuple):
    """Columns of the table."""

    attribution: str
    before: str
    preservation: str
    f1: str
    """Empty where the table has none: then it is that of the means."""
    across: str
    up: str


_BY_RATERS = "Attribution by raters (Attr AIS)"
_BY_MODEL = "Attribution by a model (Attr auto)"
_COMBINED = "Preservation by raters (Pres comb)"
_LEVENSHTEIN = "Preservation by edit distance (Pres Lev)"
_MEASURES = (
    _Measure("attr_ais_after", "attr_ais_before", "pres_comb", "f1_human", _BY_RATERS, _COMBINED),
    _Measure("attr_ais_after", "attr_ais_before", "pres_lev", "", _BY_RATERS, _LEVENSHTEIN),
    _Measure("attr_auto_after", "attr_auto_before", "pres_comb", "", _BY_MODEL, _COMBINED),
    _Measure("attr_auto_after", "attr_auto_before", "pres_lev", "f1_auto", _BY_MODEL, _LEVENSHTEIN),
)
"""The first one with data is drawn."""


def tradeoff_chart(rows: Sequence[ComparedRow]) -> Tradeoff | None:
    """Chart the runs with both figures; None without any."""
    charted = ((measure, _points(rows, measure)) for measure in _MEASURES)
    measure, points = next(((m, p) for m, p in charted if p), (None, ()))
    if measure is None:
        return None
    f1 = {point.name: point.f1 for point in points if point.f1}
    return Tradeoff(
        title="Attribution and preservation",
        finding=(f"Highest F1: {highest(f1)}. Bars are 95 % intervals; curves join equal F1."),
        x=measure.across,
        y=measure.up,
        before="best before revision",
        points=points,
        head=(
            "System",
            "n",
            *(
                f"{name}{end}"
                for name in ("before", "attribution", "preservation", "F1")
                for end in ("", " low", " high")
            ),
        ),
    )


def _points(rows: Sequence[ComparedRow], measure: _Measure) -> tuple[Point, ...]:
    rows = [row for row in rows if not row.is_unrevised]
    names = short_names(row.run for row in rows)
    points = []
    for row in rows:
        attribution = row.figures[measure.attribution]
        preservation = row.figures[measure.preservation]
        if attribution is None or preservation is None:
            continue
        before = row.figures[measure.before]
        f1 = row.figures[measure.f1] if measure.f1 else None
        points.append(
            Point(
                series=row.run.system,
                name=names[row.run.pk],
                across=span_of(attribution),
                up=span_of(preservation),
                f1=span_of(f1)
                if f1
                else ChartValue(value=f1_ap(attribution.value, preservation.value) or 0.0),
                n=f1.n if f1 else min(attribution.n, preservation.n),
                before=span_of(before) if before else None,
            )
        )
    return tuple(points)
