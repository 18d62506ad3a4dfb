"""A legend below a chart."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import ceil
from typing import Any

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
    handles = []
    for name, mark in marks.items():
        dot = Line2D([], [], color=mark.colour_in(scheme), marker=mark.shape, linestyle="none")
        dot.set(label=name, markersize=7, markerfacecolor=mark.fill_in(scheme))
        handles.append(dot)
    style: dict[str, Any] = {"fontsize": TICK, "frameon": False, "labelcolor": scheme.ink}
    style |= {"ncols": _columns(marks, sheet.width), "handletextpad": 0.3, "columnspacing": 1.4}
    sheet.figure.legend(handles=handles, loc="outside lower left", **style)


def _columns(names: Collection[str], width: int) -> int:
    return max(1, min(len(names), (width - 20) // (7 * max(map(len, names)) + 40)))
