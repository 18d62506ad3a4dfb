"""A scatter plot; of many points, a two-dimensional histogram."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.charts.chart import TICK, WIDE, Chart, Rows, Sheet

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
    def is_empty(self) -> bool:
        return not self.points

    @property
    def cells(self) -> Rows:
        return self.points

    def height(self, width: int) -> int:
        return round(width * 0.68) if width >= WIDE else width

    def draw(self, sheet: Sheet) -> None:
        import numpy as np
        from matplotlib.colors import LinearSegmentedColormap

        scheme = sheet.scheme
        axes = sheet.figure.subplots()
        sheet.style_axes(axes, x=self.x, y=self.y, grid="both")
        across = np.array([x for _, x, _ in self.points])
        up = np.array([y for _, _, y in self.points])
        top = max(float(up.max()), 1.0) * 1.05
        axes.set_xlim(0, 1.02)
        axes.set_ylim(0, top)
        if len(self.points) <= FEW:
            axes.plot(
                across, up, linestyle="none", marker="o", markersize=5, alpha=0.6, clip_on=False,
                color=scheme.series[0], markeredgecolor=scheme.card, markeredgewidth=0.6,
            )  # fmt: skip
        else:
            counts, edges, sides = np.histogram2d(
                across, up, bins=CELLS, range=((0, 1.0), (0, top))
            )
            shades = LinearSegmentedColormap.from_list("shades", [scheme.rule, scheme.series[0]])
            # Square roots keep single points visible.
            axes.pcolormesh(
                edges, sides, np.ma.masked_equal(np.sqrt(counts), 0).T, cmap=shades, zorder=2
            )
        for line, middle in ((axes.axvline, across), (axes.axhline, up)):
            line(
                float(np.median(middle)), color=scheme.ink, linewidth=1, linestyle=(0, (4, 3)),
                zorder=3,
            )  # fmt: skip
        axes.annotate(
            self.median, (0, float(np.median(up))), xytext=(4, 3), textcoords="offset points",
            fontsize=TICK, color=scheme.ink, zorder=4,
        )  # fmt: skip
