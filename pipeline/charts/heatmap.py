"""A grid of shares, with percents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.charts.chart import CAPTION, TICK, Chart, Rows, Sheet

if TYPE_CHECKING:
    from matplotlib.typing import ColorType

CELL = 30
"""The height of a row, in CSS pixels."""
INKS = ("#1d2025", "#ffffff")
"""A cell's percent is white below the luminance `DARKEST`, where that has more contrast."""
DARKEST = 0.21
LEAST = 0.1
MOST = 12
"""Further rows and columns are in the table only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """Counts from the first row on."""

    name: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heatmap(Chart):
    """Cells are shares of their columns, with a percent from `LEAST` on."""

    columns: tuple[Column, ...]

    @property
    def cells(self) -> Rows:
        """Column, row, count, share."""
        return tuple(
            (column.name, position, count, count / sum(column.counts))
            for column in self.columns
            for position, count in enumerate(column.counts, start=1)
            if sum(column.counts)
        )

    @property
    def _drawn(self) -> list[Column]:
        return [column for column in self.columns if sum(column.counts)][:MOST]

    @property
    def _rows(self) -> int:
        return min(max(len(column.counts) for column in self._drawn), MOST)

    def height(self, width: int) -> int:
        return 110 + CELL * self._rows

    def draw(self, sheet: Sheet) -> None:
        from matplotlib.colors import LinearSegmentedColormap
        from matplotlib.patches import Rectangle

        scheme = sheet.scheme
        axes = sheet.make_axes(x=self.x, y=self.y, grid="")
        shades = LinearSegmentedColormap.from_list("shades", [scheme.card, scheme.series[0]])
        axes.set_xlim(0, len(self._drawn))
        axes.set_ylim(self._rows, 0)
        axes.set_yticks([row + 0.5 for row in range(self._rows)])
        axes.set_yticklabels([str(row + 1) for row in range(self._rows)])
        axes.set_xticks([position + 0.5 for position in range(len(self._drawn))])
        is_wide = sheet.width / len(self._drawn) > 60
        axes.set_xticklabels(
            [f"{c.name}\nn = {sum(c.counts):,}" if is_wide else c.name for c in self._drawn]
        )
        size = CAPTION if is_wide else TICK
        for position, column in enumerate(self._drawn):
            for row, count in enumerate(column.counts[:MOST]):
                share = count / sum(column.counts)
                ground = shades(share)
                edge = scheme.card if share else scheme.rule
                axes.add_patch(
                    Rectangle((position, row), 1, 1, facecolor=ground, edgecolor=edge, linewidth=1)
                )
                if share < LEAST:
                    continue
                ink = INKS[_luminance(ground) < DARKEST]
                text = axes.text(position + 0.5, row + 0.5, f"{100 * share:.0f}", fontsize=size)
                text.set(color=ink, ha="center", va="center")


def _luminance(colour: ColorType) -> float:
    """The relative luminance of WCAG 2, 0.0 to 1.0."""
    from matplotlib.colors import to_rgb

    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in to_rgb(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
