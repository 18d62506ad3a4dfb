"""The chart of runs that answer."""

from collections.abc import Sequence

from pipeline.charts.chart import ChartValue
from pipeline.charts.tradeoff import Point, Tradeoff
from pipeline.figures.comparison import ComparedRow
from pipeline.metrics.attribution import f1_ap
from pipeline.pages.charts import span_of, with_interval
from pipeline.runs.lifecycle import short_names


def answer_chart(rows: Sequence[ComparedRow]) -> Tradeoff | None:
    """Plot citation recall against correctness, or precision without references.

    Returns None if no run has both figures.
    """
    rows = sorted(rows, key=lambda row: row.run.pk)  # marks do not depend on the table's order
    return _chart(rows, "correctness") or _chart(rows, "citation_precision")


def _chart(rows: Sequence[ComparedRow], up: str) -> Tradeoff | None:
    has_f1 = up == "citation_precision"
    names = short_names(row.run for row in rows)
    points = []
    for row in rows:
        recall, other = row.figures["citation_recall"], row.figures[up]
        if recall is None or other is None:
            continue
        f1 = f1_ap(recall.value, other.value) if has_f1 else None
        points.append(
            Point(
                series=row.run.system,
                name=names[row.run.pk],
                across=span_of(recall),
                up=span_of(other),
                n=min(recall.n, other.n),
                f1=None if f1 is None else ChartValue(value=f1),
            )
        )
    if not points:
        return None
    word = "citation precision" if has_f1 else "correctness"
    best = max(points, key=lambda point: (point.across.value, point.up.value))
    return Tradeoff(
        title="Citation recall and precision" if has_f1 else "Correctness and citation recall",
        finding=(
            f"{best.name} has the highest citation recall, "
            f"{with_interval(best.across)}, with {word} {with_interval(best.up)}, "
            f"n = {best.n}. Bars are 95 % intervals."
        ),
        x="Citation recall: statements that their sources support",
        y="Citation precision: citations that are not irrelevant"
        if has_f1
        else "Correctness: what is right and is said",
        points=tuple(points),
        head=(
            "Run",
            "n",
            *(
                f"{name}{end}"
                for name in ("citation recall", word, *(["F1"] if has_f1 else []))
                for end in ("", " low", " high")
            ),
        ),
        has_f1=has_f1,
    )
