"""A legend below a chart."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import ceil

from pipeline.charts.chart import TICK, Sheet
from pipeline.charts.schemes import SeriesMark

MOST = 24
"""With more names there is no legend."""
LINE = 24
"""Pixels."""


def legend_height(names: Collection[str], width: int) -> int:
    """The pixels of a legend below a chart of this width."""
    return LINE * ceil(len(names) / _columns(names, width)) if 0 < len(names) <= MOST else 0


def draw_legend(sheet: Sheet, marks: Mapping[str, SeriesMark]) -> None:
    """Draw each name with its mark, in as many columns as fit."""
    from matplotlib.lines import Line2D

    if not 0 < len(marks) <= MOST:
        return
    scheme = sheet.scheme
    handles = [
        Line2D(
            [], [], marker=mark.shape, linestyle="none", markersize=7, label=name,
            markerfacecolor=scheme.card if mark.is_hollow else mark.colour_in(scheme),
            markeredgecolor=mark.colour_in(scheme),
        )
        for name, mark in marks.items()
    ]  # fmt: skip
    sheet.figure.legend(
        handles=handles, loc="outside lower left", frameon=False, fontsize=TICK,
        labelcolor=scheme.ink, ncols=_columns(marks, sheet.width),
        handletextpad=0.3, columnspacing=1.4,
    )  # fmt: skip


def _columns(names: Collection[str], width: int) -> int:
    return max(1, min(len(names), (width - 20) // (7 * max(map(len, names)) + 40)))
