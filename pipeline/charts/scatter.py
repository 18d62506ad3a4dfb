"""A scatter plot; of many points, a two-dimensional histogram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pipeline.charts.chart import WIDE, Chart, Rows, Sheet

FEW = 300
"""The most points of a scatter plot."""
CELLS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter(Chart):
    """The lines are medians."""

    median: str
    """The label of the lines."""
    points: tuple[tuple[str, float, float], ...]
    """(name, x, y); x from 0.0 to 1.0, y from 0.0 on."""

    @property
    def cells(self) -> Rows:
        return self.points

    def height(self, width: int) -> int:
        return round(width * 0.68) if width >= WIDE else width

    def draw(self, sheet: Sheet) -> None:
        import numpy as np
        from matplotlib.colors import LinearSegmentedColormap

        scheme = sheet.scheme
        axes = sheet.make_axes(x=self.x, y=self.y, grid="both")
        across = np.array([x for _, x, _ in self.points])
        up = np.array([y for _, _, y in self.points])
        top = max(float(up.max()), 1.0) * 1.05
        axes.set_xlim(0, 1.02)
        axes.set_ylim(0, top)
        if len(self.points) <= FEW:
            edge: dict[str, Any] = {"markeredgecolor": scheme.card, "markeredgewidth": 0.6}
            (dots,) = axes.plot(across, up, "o", color=scheme.series[0], markersize=5, **edge)
            dots.set(alpha=0.6, clip_on=False)
        else:
            counts, edges, sides = np.histogram2d(
                across, up, bins=CELLS, range=((0, 1.0), (0, top))
            )
            shades = LinearSegmentedColormap.from_list("shades", [scheme.rule, scheme.series[0]])
            # Square roots keep single points visible.
            axes.pcolormesh(
                edges, sides, np.ma.masked_equal(np.sqrt(counts), 0).T, cmap=shades, zorder=2
            )
        line: dict[str, Any] = {"color": scheme.ink, "linewidth": 1, "linestyle": (0, (4, 3))}
        middle = float(np.median(up))
        axes.axvline(float(np.median(across)), zorder=3, **line)
        axes.axhline(middle, zorder=3, **line)
        sheet.annotate(axes, self.median, (0, middle), (4, 3), color=scheme.ink, zorder=4)
