"""What every chart is: what it says, the table of its numbers, and how it is drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.charts.schemes import Scheme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Cell = str | int | float | None
"""None where there is nothing to say."""
Rows = tuple[tuple[Cell, ...], ...]

NARROW, WIDE = 320, 560
"""The two widths that charts are drawn for, in CSS pixels: a phone, and a page or a paper."""
POINT = 0.75
"""A CSS pixel in points."""
CAPTION, TICK = 13 * POINT, 12 * POINT
"""Sizes of type, in points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The numbers that a chart draws; the page beside it and the CSV show the same."""

    head: tuple[str, ...]
    rows: Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A figure between the ends of its 95 % interval, which are None where it has none."""

    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""
    """Why there is no interval, or what to know about it."""

    @property
    def arms(self) -> tuple[float, float]:
        """How far the interval reaches to either side; 0.0 where there is none."""
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        return max(self.value - low, 0.0), max(high - self.value, 0.0)

    @property
    def cells(self) -> tuple[float, float | None, float | None]:
        return self.value, self.low, self.high


NO_CELLS = (None, None, None)
"""Those of a span that is not there."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Where a chart is drawn."""

    figure: Figure
    scheme: Scheme
    width: int
    """In CSS pixels."""

    def dress(self, axes: Axes, *, x: str = "", y: str = "", grid: str = "y") -> None:
        """The look of all axes: titles in words, the vertical one above, a grid fainter than data.

        `grid` is "x", "y", "both" or "".
        """
        scheme = self.scheme
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
            axes.grid(axis=grid, color=scheme.rule, linewidth=0.8)  # type: ignore[arg-type]  # a literal there
        if x:
            axes.set_xlabel(x, fontsize=CAPTION, color=scheme.ink, labelpad=8)
        if y:
            axes.set_title(y, fontsize=CAPTION, color=scheme.ink, loc="left", pad=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart(ABC):
    """A chart's words come with its numbers, in the language of whoever asks for it."""

    title: str
    finding: str
    """What it shows, in a sentence: the alternative text."""
    x: str
    y: str = ""
    """The titles of its axes; "" for one whose rows have names."""
    head: tuple[str, ...]
    """What stands above `cells`."""

    @property
    @abstractmethod
    def cells(self) -> Rows:
        """Its numbers, row by row."""

    @property
    def table(self) -> Table:
        return Table(head=self.head, rows=self.cells)

    @property
    @abstractmethod
    def is_empty(self) -> bool: ...

    @abstractmethod
    def height(self, width: int) -> int:
        """In CSS pixels, as `width` is."""

    @abstractmethod
    def draw(self, sheet: Sheet) -> None: ...
