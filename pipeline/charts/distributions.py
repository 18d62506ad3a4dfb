"""Distributions of groups: mirrored histograms with median and quartiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.charts.chart import Chart, Rows, Sheet

BINS = 25
AXIS = 46
"""The height of the axis and its title, in pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    name: str
    n: int
    counts: tuple[int, ...]
    """Values in equal parts of the scale."""
    quartiles: tuple[float, float, float]
    mean: float


def spread_of(
    name: str, values: Sequence[float], *, low: float, high: float, bins: int = BINS
) -> Spread | None:
    """Summarise `values` from `low` to `high`; None without any.

    >>> spread_of("a", [0.0, 0.5, 1.0], low=0, high=1, bins=2)
    Spread(name='a', n=3, counts=(1, 2), quartiles=(0.25, 0.5, 0.75), mean=0.5)
    """
    import numpy as np

    if not values:
        return None
    counts = np.histogram(np.clip(values, low, high), bins=bins, range=(low, high))[0]
    quartiles = np.quantile(values, (0.25, 0.5, 0.75))
    return Spread(
        name=name,
        n=len(values),
        counts=tuple(int(each) for each in counts),
        quartiles=(float(quartiles[0]), float(quartiles[1]), float(quartiles[2])),
        mean=float(np.mean(values)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Distributions(Chart):
    """A row for each group; the line is the median, the bar the quartiles."""

    groups: tuple[Spread, ...]
    low: float
    high: float

    @property
    def cells(self) -> Rows:
        """Group, n, first quartile, median, third quartile, mean."""
        return tuple((g.name, g.n, *g.quartiles, g.mean) for g in self.groups)

    def height(self, width: int) -> int:
        each = 74 if len(self.groups) <= 6 else 46
        return AXIS + 24 + each * len(self.groups)

    def draw(self, sheet: Sheet) -> None:
        import numpy as np

        colour, ink = sheet.scheme.series[0], sheet.scheme.ink
        axes = sheet.make_axes(x=self.x, grid="x")
        axes.set_xlim(self.low, self.high)
        axes.set_ylim(len(self.groups) - 0.4, -0.75)
        axes.set_yticks([])
        edges = np.linspace(self.low, self.high, len(self.groups[0].counts) + 1)
        for row, group in enumerate(self.groups):
            # Each group has the same greatest width.
            half = np.array(group.counts) / max(group.counts) * 0.3
            axes.stairs(row - half, edges, baseline=row, fill=True, color=colour, alpha=0.35)
            axes.stairs(row + half, edges, baseline=row, fill=True, color=colour, alpha=0.35)
            first, median, third = group.quartiles
            axes.plot((first, third), (row, row), color=colour, linewidth=4, solid_capstyle="butt")
            axes.plot((median, median), (row - 0.3, row + 0.3), color=ink, linewidth=1.8)
            sheet.annotate(axes, group.name, (self.low, row - 0.36), (1, 0), is_caption=True)
            at, number = (self.high, row - 0.36), f"n = {group.n:,}"
            sheet.annotate(axes, number, at, (-1, 0), ha="right", va="bottom")
