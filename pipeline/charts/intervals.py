"""Values with 95 % intervals, in rows on one scale."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import Any

from pipeline.charts.chart import EMPTY, WIDE, Chart, ChartValue, Rows, Sheet
from pipeline.charts.rendering import draw_legend, legend_height
from pipeline.charts.schemes import SeriesMark

MARKS = [SeriesMark(colour, shape) for colour, shape in enumerate("osDv^")]
BASELINE = SeriesMark(None, "o", is_hollow=True)
MOST_ROWS = 30
"""Further rows are in the table only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One value of a row; nothing is drawn without a `span`."""

    series: str
    span: ChartValue | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    name: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals(Chart):
    """With `has_baseline` the first series is hollow and grey."""

    rows: tuple[Row, ...]
    low: float
    high: float
    has_baseline: bool = False

    @property
    def is_empty(self) -> bool:
        return not any(entry.span for row in self.rows for entry in row.entries)

    @property
    def cells(self) -> Rows:
        """Row, series, n, value, low, high, note."""
        return tuple(
            (
                row.name,
                entry.series,
                entry.n,
                *((*entry.span.cells, entry.span.note) if entry.span else (*EMPTY, "")),
            )
            for row in self.rows
            for entry in row.entries
        )

    @property
    def _drawn(self) -> tuple[Row, ...]:
        return self.rows[:MOST_ROWS]

    @property
    def _marks(self) -> dict[str, SeriesMark]:
        names = dict.fromkeys(entry.series for row in self.rows for entry in row.entries)
        marks = [BASELINE, *MARKS] if self.has_baseline else MARKS
        return {name: marks[position % len(marks)] for position, name in enumerate(names)}

    def height(self, width: int) -> int:
        lines = sum(1.3 + len(row.entries) for row in self._drawn)
        legend = legend_height(self._marks, width) if len(self._marks) > 1 else 0
        return round(64 + legend + (19 if width >= WIDE else 20) * lines)

    def draw(self, sheet: Sheet) -> None:
        scheme, marks = sheet.scheme, self._marks
        axes = sheet.make_axes(x=self.x, grid="x")
        lows = [
            e.span.value - e.span.error_bars[0] for r in self._drawn for e in r.entries if e.span
        ]
        low = min(self.low, floor(min(lows, default=self.low) * 10) / 10)
        axes.set_xlim(low, self.high)
        axes.set_yticks([])
        if low < 0:
            axes.axvline(0, color=scheme.line, linewidth=1, zorder=1)
        behind: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "annotation_clip": False}
        at = 0.0
        for row in self._drawn:
            sheet.annotate(axes, row.name, (low, at), (1, 0), is_caption=True, va="center")
            at += 1
            for entry in row.entries:
                if entry.span is not None:
                    mark = marks[entry.series]
                    colour = mark.colour_in(scheme)
                    dot: dict[str, Any] = {"fmt": mark.shape, "markersize": 7, "clip_on": False}
                    dot |= {"color": colour, "markerfacecolor": mark.fill_in(scheme)}
                    dot["markeredgewidth"] = 1.6 if mark.is_hollow else 0.8
                    arms = [[arm] for arm in entry.span.error_bars]
                    axes.errorbar([entry.span.value], [at], xerr=arms, elinewidth=1.6, **dot)
                sheet.annotate(axes, f"n = {entry.n:,}", (1, at), (6, 0), va="center", **behind)
                at += 1
            at += 0.3
        axes.set_ylim(at - 0.4, -0.7)
        if len(marks) > 1:
            draw_legend(sheet, marks)
