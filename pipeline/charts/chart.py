"""The base of all charts: words, a table of numbers, and drawing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pipeline.charts.schemes import Scheme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Cell = str | int | float | None
Rows = tuple[tuple[Cell, ...], ...]

NARROW, WIDE = 320, 560
"""Chart widths in CSS pixels: of a phone, and of a page or paper."""
POINT = 0.75
"""A CSS pixel in points."""
CAPTION, TICK = 13 * POINT, 12 * POINT
"""Font sizes in points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartValue:
    """A value with its 95 % interval, if any."""

    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""
    """Why there is no interval."""

    @property
    def error_bars(self) -> tuple[float, float]:
        """The distances to both ends, 0.0 without an interval."""
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        return max(self.value - low, 0.0), max(high - self.value, 0.0)

    @property
    def cells(self) -> tuple[float, float | None, float | None]:
        return self.value, self.low, self.high


EMPTY = (None, None, None)
"""The `cells` of no span."""


@dataclass(frozen=True, slots=True)
class Sheet:
    figure: Figure
    scheme: Scheme
    width: int
    """In CSS pixels."""

    def make_axes(self, *, x: str, y: str = "", grid: Literal["x", "both", ""]) -> Axes:
        """Draw axes with titles `x` below and `y` above."""
        axes, scheme = self.figure.subplots(), self.scheme
        axes.set_facecolor("none")
        for side, spine in axes.spines.items():
            spine.set_visible(side == "bottom")
            spine.set_color(scheme.line)
        axes.tick_params(
            length=0,
            pad=5,
            labelsize=TICK,
            labelcolor=scheme.muted,
            which="both",
            color=scheme.line,
        )
        axes.set_axisbelow(True)
        if grid:
            axes.grid(axis=grid, color=scheme.rule, linewidth=0.8)
        axes.set_xlabel(x, fontsize=CAPTION, color=scheme.ink, labelpad=8)
        if y:
            axes.set_title(y, fontsize=CAPTION, color=scheme.ink, loc="left", pad=12)
        return axes

    def annotate(
        self,
        axes: Axes,
        text: str,
        at: tuple[float, float],
        offset: tuple[int, int],
        *,
        is_caption: bool = False,
        **options: Any,
    ) -> None:
        """Write at a point of the data, moved by an offset in points."""
        style: dict[str, Any] = {"fontsize": TICK, "color": self.scheme.muted}
        if is_caption:
            style = {"fontsize": CAPTION, "color": self.scheme.ink, "va": "bottom"}
        axes.annotate(text, at, xytext=offset, textcoords="offset points", **(style | options))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart(ABC):
    title: str
    finding: str
    """A sentence, used as alternative text."""
    x: str
    y: str = ""
    """Titles of the axes; "" for named rows."""
    head: tuple[str, ...]
    """The head of `cells`."""

    @property
    @abstractmethod
    def cells(self) -> Rows:
        """The numbers, row by row, for the page and the CSV."""

    @property
    def is_empty(self) -> bool:
        return not self.cells

    @abstractmethod
    def height(self, width: int) -> int:
        """In CSS pixels, as `width` is."""

    @abstractmethod
    def draw(self, sheet: Sheet) -> None: ...
