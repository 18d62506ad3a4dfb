"""The chart of the answers before and after revision, as a file: the paper's Figure 9."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from pipeline.charts.chart import Span
from pipeline.charts.intervals import Entry, Intervals, Row
from pipeline.charts.rendering import FORMS, Form, render
from pipeline.metrics.inference import Estimate
from pipeline.rarr.errors import BadConfig
from pipeline.standalone.downstream import Figure
from rarrweb.csv import table_text

ENDINGS = (*FORMS, "csv")


def check_chart(out: Path) -> None:
    """Raise `BadConfig` for a file whose ending names no form."""
    if out.suffix.removeprefix(".") not in ENDINGS:
        wanted = ", ".join(f".{each}" for each in ENDINGS)
        raise BadConfig(f"{out.name!r} names no form of chart: let it end with one of {wanted}.")


def chart_file(figures: Sequence[Figure], out: Path) -> bytes:
    """The file that `out` is to hold, by its ending."""
    chart = downstream_chart(figures)
    form = out.suffix.removeprefix(".")
    if form == "csv":
        return table_text(chart.table.head, chart.table.rows).encode()
    return render(chart, cast(Form, form))


def downstream_chart(figures: Sequence[Figure]) -> Intervals:
    """Each measure before and after; the gain, which is of the same passages, in its name."""
    gains = ", ".join(
        f"{each.name} {each.before.value:.2f} before and {each.after.value:.2f} after"
        for each in figures
    )
    return Intervals(
        title="Answers that passages give before and after revision",
        finding=f"{gains[:1].upper()}{gains[1:]}. Bars are 95 % intervals.",
        x="Share of questions answered as the gold answers do",
        rows=tuple(
            Row(
                name=f"{each.name}, gain {_signed(each.gain)}",
                entries=(
                    Entry(series="before revision", span=_span(each.before), n=each.before.n),
                    Entry(series="after revision", span=_span(each.after), n=each.after.n),
                ),
            )
            for each in figures
        ),
        low=0,
        high=1,
        head=("Measure", "Passages", "n", "value", "low", "high"),
        has_baseline=True,
    )


def _span(estimate: Estimate) -> Span:
    return Span(value=estimate.value, low=estimate.low, high=estimate.high)


def _signed(estimate: Estimate) -> str:
    """With its interval.

    >>> _signed(Estimate(value=0.05, n=9, low=-0.01, high=0.11))
    '+0.05 (−0.01 to +0.11)'
    """
    words = f"{estimate.value:+.2f}"
    if estimate.low is not None and estimate.high is not None:
        words += f" ({estimate.low:+.2f} to {estimate.high:+.2f})"
    return words.replace("-", "−")
