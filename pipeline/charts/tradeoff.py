"""Two shares of each run, with curves of equal F1: the RARR paper's Figure 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.charts.chart import EMPTY, WIDE, Chart, ChartValue, Rows, Sheet
from pipeline.charts.rendering import draw_legend, legend_height
from pipeline.charts.schemes import SeriesMark, choose_marks, distinct_marks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMES = 12
"""With more points, the legend names series, and there are no intervals."""
LEVEL_STEPS = (0.1, 0.05, 0.02, 0.01)
FEWEST_LEVELS = 2
"""Curves that should cross the axes."""
LEAST_RANGE = 0.15
"""Minimum range of an axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One run."""

    series: str
    """The system, which decides color and shape."""
    name: str
    across: ChartValue
    up: ChartValue
    n: int
    f1: ChartValue | None = None
    """Of both shares, if it makes sense."""
    before: ChartValue | None = None
    """The share `across` before the revision, of the same passages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tradeoff(Chart):
    """Points from 0.0 to 1.0 on both axes; the dashed line is the best `before`."""

    points: tuple[Point, ...]
    before: str = ""
    """The label of the dashed line, if any."""
    has_f1: bool = True
    """Draw curves of equal F1."""

    @property
    def cells(self) -> Rows:
        """Name, n, then value, low and high of before, across, up, F1."""
        return tuple(
            (
                each.name,
                each.n,
                *((each.before.cells if each.before else EMPTY) if self.before else ()),
                *each.across.cells,
                *each.up.cells,
                *((each.f1.cells if each.f1 else EMPTY) if self.has_f1 else ()),
            )
            for each in self.points
        )

    def height(self, width: int) -> int:
        names = {self._name(each) for each in self.points}
        return round(width * (0.72 if width >= WIDE else 1)) + legend_height(names, width)

    def _name(self, point: Point) -> str:
        """The name of its mark: the point's where they are few, else the series'."""
        return point.name if len(self.points) <= MOST_NAMES else point.series

    def draw(self, sheet: Sheet) -> None:
        from matplotlib.ticker import MaxNLocator

        scheme = sheet.scheme
        axes = sheet.make_axes(x=self.x, y=self.y, grid="both")
        is_few = len(self.points) <= MOST_NAMES
        marks = (
            distinct_marks([(each.series, each.name) for each in self.points])
            if is_few
            else choose_marks(each.series for each in self.points)
        )
        before = [each.before.value for each in self.points if each.before]
        across = _limits([each.across for each in self.points], before)
        up = _limits([each.up for each in self.points], [])
        for axis, (low, high) in ((axes.xaxis, across), (axes.yaxis, up)):
            ticks = MaxNLocator(nbins=6, steps=[1, 2, 5, 10]).tick_values(low, high)
            # No share is above 1, though the axis may reach beyond.
            axis.set_ticks([tick for tick in ticks if max(low, -1e-9) <= tick <= min(high, 1.001)])
        axes.set_xlim(across)
        axes.set_ylim(up)
        if self.has_f1:
            _draw_levels(axes, sheet, across, up)
        best = max(before, default=None)
        if best is not None:
            axes.axvline(best, color=scheme.muted, linestyle=(0, (4, 3)), linewidth=1.1, zorder=2)
        for name, mark in marks.items():
            points = [each for each in self.points if self._name(each) == name]
            _draw_points(axes, sheet, points, mark, is_few=is_few)
        if best is not None:
            sheet.annotate(axes, self.before, (best, up[0]), (5, 22), zorder=4)
        draw_legend(sheet, marks)


def _draw_points(
    axes: Axes, sheet: Sheet, points: Sequence[Point], mark: SeriesMark, *, is_few: bool
) -> None:
    colour = mark.colour_in(sheet.scheme)
    across = [each.across.value for each in points]
    up = [each.up.value for each in points]
    if is_few:
        xerr = list(zip(*(each.across.error_bars for each in points), strict=True))
        yerr = list(zip(*(each.up.error_bars for each in points), strict=True))
        line: dict[str, Any] = {"fmt": "none", "ecolor": colour, "elinewidth": 1.4, "zorder": 4}
        axes.errorbar(across, up, xerr=xerr, yerr=yerr, **line)
    (dots,) = axes.plot(across, up, marker=mark.shape, linestyle="none", zorder=5, clip_on=False)
    dots.set(markersize=8.5 if is_few else 4.5, alpha=1.0 if is_few else 0.7)
    dots.set(markerfacecolor=mark.fill_in(sheet.scheme))
    dots.set(markeredgecolor=colour if mark.is_hollow else sheet.scheme.card)
    dots.set(markeredgewidth=1.6 if mark.is_hollow else 0.8)


def _limits(spans: Sequence[ChartValue], others: Sequence[float]) -> tuple[float, float]:
    """The limits of an axis, with a margin; above 1 only as far as a point needs.

    >>> [round(end, 3) for end in _limits([ChartValue(value=0.95, low=0.93, high=0.97)], [])]
    [0.86, 1.015]
    """
    low = min(*(each.value - each.error_bars[0] for each in spans), *others, 1.0)
    high = max(*(each.value + each.error_bars[1] for each in spans), *others, 0.0)
    room = max(high - low, LEAST_RANGE)
    middle = (low + high) / 2
    low, high = middle - room / 2, middle + room / 2
    beyond = 0.1 * room
    return max(low - beyond, 0.0 - beyond / 2), min(high + beyond, 1.0 + beyond)


def _draw_levels(
    axes: Axes, sheet: Sheet, across: tuple[float, float], up: tuple[float, float]
) -> None:
    """Draw curves of equal F1, labelled where they leave the axes."""
    import numpy as np

    left, right = max(across[0], 0.01), min(across[1], 1.0)
    low, top = max(up[0], 0.0), min(up[1], 1.0)
    least, most = (2 * a * p / (a + p) for a, p in ((left, low), (right, top)))
    step = next((s for s in LEVEL_STEPS if (most - least) / s >= FEWEST_LEVELS), LEVEL_STEPS[-1])
    levels = [n * step for n in range(1, round(1 / step)) if least < n * step < most]
    for level in levels:
        # p = level * a / (2a - level), from p = 1 on.
        a = np.linspace(max(level / (2 - level), across[0], level / 2 + 1e-6), right, 120)
        p = level * a / (2 * a - level)
        axes.plot(a, p, color=sheet.scheme.line, linewidth=0.8, alpha=0.75, zorder=1)
        name = f"F1 {level:.1f}" if step == LEVEL_STEPS[0] else f"F1 {level:.2f}"
        if p[-1] > low:
            at = (across[1], float(p[-1]))
            sheet.annotate(axes, name, at, (4, 0), va="center", annotation_clip=False)
        elif low > level / 2:
            at = (level * low / (2 * low - level), up[0])
            box = {"facecolor": sheet.scheme.card, "edgecolor": "none", "pad": 1}
            sheet.annotate(axes, name, at, (0, 7), ha="center", bbox=box)
