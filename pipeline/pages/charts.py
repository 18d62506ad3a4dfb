"""Charts on pages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from django.utils.text import get_text_list

from pipeline.charts.chart import NARROW, WIDE, Cell, Chart, ChartValue
from pipeline.metrics.inference import Estimate

Of = TypeVar("Of")
MOST_ROWS = 50
"""Rows of a chart's table on a page; the CSV has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartPlan(Generic[Of]):
    name: str
    """In addresses."""
    title: str
    empty_text: str
    """Text for a page while there is nothing to draw."""
    make: Callable[[Of], Chart | None]
    fits: Callable[[Of], bool] = lambda _: True
    """Returns whether it can ever be drawn."""

    def on_page(self, chart: Chart | None, *, folder: str, query: str = "") -> "PageChart":
        """Return the drawn chart for a page; `folder` is the address of the charts' files."""
        return PageChart(
            name=self.name,
            title=self.title,
            empty_text=self.empty_text,
            chart=chart,
            address=folder + self.name,
            query=query,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChart:
    """The context of templates/pipeline/_chart.html."""

    name: str
    title: str
    empty_text: str
    chart: Chart | None
    """None if there is nothing to draw."""
    address: str
    """Address of the files without suffix."""
    query: str = ""
    """End of the files' addresses, such as `&phase=pilot`."""

    forms: ClassVar = ("svg", "png", "pdf", "csv")

    @property
    def heads(self) -> tuple[str, ...]:
        return self.chart.head if self.chart else ()

    @property
    def rows(self) -> list[list[str]]:
        rows = self.chart.cells[:MOST_ROWS] if self.chart else ()
        return [[format_cell(cell) for cell in row] for row in rows]

    @property
    def more_rows(self) -> int:
        return max(len(self.chart.cells) - MOST_ROWS, 0) if self.chart else 0

    @property
    def sizes(self) -> dict[str, int]:
        """Return wide and narrow sizes in CSS pixels."""
        if self.chart is None:
            return {}
        return {
            "wide": WIDE,
            "wide_height": self.chart.height(WIDE),
            "narrow": NARROW,
            "narrow_height": self.chart.height(NARROW),
        }


def format_cell(cell: Cell) -> str:
    """Format a cell for a page.

    >>> format_cell(0.12345), format_cell(1200), format_cell(None), format_cell(-0.5)
    ('0.123', '1,200', '–', '−0.500')
    """
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    words = f"{cell:,}" if isinstance(cell, int) else f"{cell:.3f}"
    return words.replace("-", "−")


def span_of(estimate: Estimate) -> ChartValue:
    return ChartValue(
        value=estimate.value, low=estimate.low, high=estimate.high, note=estimate.note()
    )


def with_interval(estimate: Estimate | ChartValue, *, of: str = "passages") -> str:
    """Format a value and its 95 % interval; `of` names what `n` counts.

    >>> with_interval(ChartValue(value=0.5, low=0.25, high=0.75))
    '0.50 (0.25–0.75)'
    >>> with_interval(ChartValue(value=-0.5, low=-0.75, high=0.25))
    '−0.50 (−0.75 to 0.25)'
    >>> with_interval(ChartValue(value=0.5))
    '0.50'
    >>> with_interval(Estimate(value=0.5, n=3, low=None, high=None))
    '0.50 (no interval: fewer than 5 passages)'
    """
    note = estimate.note if isinstance(estimate, ChartValue) else estimate.note(of)
    words = "; ".join(filter(None, (ends_of(estimate), note)))
    return f"{estimate.value:.2f}".replace("-", "−") + (f" ({words})" if words else "")


def highest(values: Mapping[str, ChartValue]) -> str:
    """Format the highest value and whose it is, with ties to two digits.

    >>> highest({"rarr": ChartValue(value=0.5, low=0.25, high=0.75), "efec": ChartValue(value=0.4)})
    'rarr, 0.50 (0.25–0.75)'
    >>> highest({"rarr": ChartValue(value=0.504), "efec": ChartValue(value=0.5)})
    'rarr and efec, 0.50'
    """
    best = max(values.values(), key=lambda value: value.value)
    digits = f"{best.value:.2f}"
    names = [name for name, value in values.items() if f"{value.value:.2f}" == digits]
    return f"{get_text_list(names, 'and')}, {with_interval(best) if len(names) == 1 else digits}"


def ends_of(estimate: Estimate | ChartValue) -> str:
    """Format the ends of an interval; "" if there is none.

    >>> ends_of(ChartValue(value=0.5, low=0.25, high=0.75))
    '0.25–0.75'
    """
    if estimate.low is None or estimate.high is None:
        return ""
    between = " to " if estimate.low < 0 else "–"
    return f"{estimate.low:.2f}{between}{estimate.high:.2f}".replace("-", "−")
