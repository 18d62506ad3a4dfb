"""Attribution against preservation, with curves of equal F1_AP: the RARR paper's Figure 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

from pipeline.charts.chart import CAPTION, TICK, WIDE, Chart, Sheet, Span, Table
from pipeline.charts.labels import Box, write_names
from pipeline.charts.legend import MOST, draw_legend
from pipeline.charts.schemes import Mark, marks_of, told_apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMES = 12
"""More points than these are not named one by one, and their intervals are not drawn."""
LEVELS = tuple(tenth / 10 for tenth in range(1, 10))


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One system on one dataset."""

    series: str
    """What gives it its colour and shape: the system."""
    name: str
    attribution: Span
    preservation: Span
    f1: Span
    n: int
    before: Span | None = None
    """Attribution before the revision, of the same passages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tradeoff(Chart):
    """Points from 0.0 to 1.0 on both axes; the dashed line is the best attribution before."""

    title: str
    finding: str
    x: str
    y: str
    before: str
    """What the dashed line is called."""
    points: tuple[Point, ...]
    head: tuple[str, ...]
    """Of the table: name, n, then value, low and high of attribution before, attribution after,
    preservation and F1."""

    @property
    def is_empty(self) -> bool:
        return not self.points

    @property
    def table(self) -> Table:
        none = (None, None, None)
        rows = tuple(
            (
                each.name,
                each.n,
                *(each.before.cells if each.before else none),
                *each.attribution.cells,
                *each.preservation.cells,
                *each.f1.cells,
            )
            for each in self.points
        )
        return Table(head=self.head, rows=rows)

    def height(self, width: int) -> int:
        if width >= WIDE:
            return round(width * 0.72)
        # Names that do not fit beside the points stand below them.
        names = len({self._name(each) for each in self.points})
        return width + (12 * names if 6 < names <= MOST else 0)

    def _name(self, point: Point) -> str:
        """What has a mark of its own: each point where they are few, else each series."""
        return point.name if len(self.points) <= MOST_NAMES else point.series

    def draw(self, sheet: Sheet) -> None:
        figure, scheme = sheet.figure, sheet.scheme
        axes = figure.subplots()
        sheet.dress(axes, x=self.x, y=self.y, grid="both")
        is_few = len(self.points) <= MOST_NAMES
        marks = (
            told_apart([(each.series, each.name) for each in self.points])
            if is_few
            else marks_of(each.series for each in self.points)
        )
        left, low = self._corner()
        axes.set_xlim(left, 1.0)
        axes.set_ylim(low, 1.0)
        axes.locator_params(nbins=6)
        _draw_levels(axes, sheet, left, low)
        best = max((each.before.value for each in self.points if each.before), default=None)
        if best is not None:
            axes.axvline(best, color=scheme.muted, linestyle=(0, (4, 3)), linewidth=1.1, zorder=2)
        for name, mark in marks.items():
            own = [each for each in self.points if self._name(each) == name]
            _draw_points(axes, sheet, own, mark, is_few=is_few)
        if best is not None:
            axes.annotate(
                self.before, (best, low), xytext=(5, 6), textcoords="offset points",
                fontsize=TICK, color=scheme.muted, zorder=4,
            )  # fmt: skip
        if not (is_few and self._write_names(axes, sheet, best)):
            draw_legend(sheet, marks)

    def _corner(self) -> tuple[float, float]:
        """Where the axes begin: a tenth below the least that is drawn, so that points fill them."""
        wide = [each.attribution.value - each.attribution.arms[0] for each in self.points]
        wide += [each.before.value for each in self.points if each.before]
        tall = [each.preservation.value - each.preservation.arms[0] for each in self.points]
        return tuple(  # type: ignore[return-value]  # two of them
            max(min(floor(min(some) * 10 - 0.5) / 10, 0.5), 0.0) for some in (wide, tall)
        )

    def _write_names(self, axes: Axes, sheet: Sheet, best: float | None) -> bool:
        """Beside the points, once the axes have their place; False where they do not fit."""
        sheet.figure.draw_without_rendering()
        at = [(each.attribution.value, each.preservation.value) for each in self.points]
        lines = []
        for each in self.points:
            x, y = each.attribution, each.preservation
            lines.append(_box(axes, x.value - x.arms[0], y.value, x.value + x.arms[1], y.value))
            lines.append(_box(axes, x.value, y.value - y.arms[0], x.value, y.value + y.arms[1]))
        if best is not None:
            low, high = axes.get_ylim()
            lines.append(_box(axes, best, low, best, high))
        pixels = [tuple(each) for each in axes.transData.transform(at)]
        return write_names(
            axes,
            pixels,
            [each.name for each in self.points],
            colour=sheet.scheme.ink,
            size=CAPTION,
            lines=lines,
        )


def _box(axes: Axes, left: float, low: float, right: float, high: float) -> Box:
    (a, b), (c, d) = axes.transData.transform([(left, low), (right, high)])
    return Box(a - 2, b - 2, c + 2, d + 2)


def _draw_points(
    axes: Axes, sheet: Sheet, points: Sequence[Point], mark: Mark, *, is_few: bool
) -> None:
    colour, card = mark.colour_in(sheet.scheme), sheet.scheme.card
    across = [each.attribution.value for each in points]
    up = [each.preservation.value for each in points]
    if is_few:
        axes.errorbar(
            across, up,
            xerr=list(zip(*(each.attribution.arms for each in points), strict=True)),
            yerr=list(zip(*(each.preservation.arms for each in points), strict=True)),
            fmt="none", ecolor=colour, elinewidth=1.4, zorder=4,
        )  # fmt: skip
    axes.plot(
        across, up, marker=mark.shape, linestyle="none",
        markersize=8.5 if is_few else 4.5, markeredgewidth=1.6 if mark.is_hollow else 0.8,
        markerfacecolor=card if mark.is_hollow else colour,
        markeredgecolor=colour if mark.is_hollow else card,
        alpha=1.0 if is_few else 0.7, zorder=5, clip_on=False,
    )  # fmt: skip


def _draw_levels(axes: Axes, sheet: Sheet, left: float, low: float) -> None:
    """Curves of equal F1, each named at the right end, where attribution is 1."""
    import numpy as np

    for level in LEVELS:
        # p = level * a / (2a - level), for the attribution from where p is 1 on.
        start = max(level / (2 - level), left, 0.5 * level + 1e-6)
        a = np.linspace(start, 1.0, 80)
        p = level * a / (2 * a - level)
        at_end = level / (2 - level)
        if at_end <= low:
            continue
        axes.plot(a, p, color=sheet.scheme.line, linewidth=0.8, alpha=0.75, zorder=1)
        name = f"F1 {level:.1f}" if level == LEVELS[-1] else f"{level:.1f}"
        axes.annotate(
            name, (1.0, at_end), xytext=(4, 0), textcoords="offset points", va="center",
            fontsize=TICK, color=sheet.scheme.muted, annotation_clip=False,
        )  # fmt: skip
