"""Renders a chart as SVG, PNG or PDF, with the same bytes for the same chart.

Text remains text in SVG and PDF. Only matplotlib's object interface is used, which is thread-safe
here; it is imported with the first chart.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Mapping
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, Any, Literal
from xml.sax.saxutils import escape

from pipeline.charts.chart import POINT, TICK, WIDE, Chart, Sheet
from pipeline.charts.schemes import SCHEMES, SeriesMark

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Format = Literal["svg", "png", "pdf"]
FORMATS: dict[Format, str] = {
    "svg": "image/svg+xml; charset=utf-8",
    "png": "image/png",
    "pdf": "application/pdf",
}
"""Format to content type."""
PNG_SCALE = 2
"""Pixels of a PNG per CSS pixel."""
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)


def render(chart: Chart, form: Format, *, scheme: str = "print", width: int = WIDE) -> bytes:
    """Render a chart; `scheme` is one of `SCHEMES`, `width` in CSS pixels.

    Raises ValueError for an empty chart.
    """
    if chart.is_empty:
        raise ValueError(f"There is nothing to draw in {chart.title!r}.")
    figure = _figure(width, chart.height(width))
    colours = SCHEMES[scheme]
    if colours.is_opaque:
        figure.patch.set_facecolor(colours.card)
    else:
        figure.patch.set_alpha(0)
    chart.draw(Sheet(figure, colours, width))
    out = io.BytesIO()
    if form == "svg":
        figure.savefig(out, format="svg", metadata={"Date": None})
        return _finish_svg(out.getvalue().decode(), chart).encode()
    if form == "png":
        about = {"Title": chart.title, "Description": chart.finding, "Software": None}
        figure.savefig(out, format="png", dpi=96 * PNG_SCALE, metadata=about)
    else:
        about = {"Title": chart.title, "Subject": chart.finding, "CreationDate": None}
        figure.savefig(out, format="pdf", metadata=about)
    return out.getvalue()


def _figure(width: int, height: int) -> Figure:
    """Create an empty figure, sizes in CSS pixels, whose canvas can measure text."""
    _prepare()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 96, height / 96), dpi=96, layout="constrained")
    FigureCanvasAgg(figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(w_pad=6 * POINT / 72, h_pad=6 * POINT / 72)  # type: ignore[call-arg]  # of constrained layout
    return figure


@cache
def _prepare() -> None:
    """Set the settings of the process, once."""
    import matplotlib

    matplotlib.rcParams.update(
        {
            "font.family": "sans-serif",
            "font.sans-serif": ["DejaVu Sans"],
            "svg.fonttype": "none",
            "svg.hashsalt": "rarrweb",
            "pdf.fonttype": 42,
            "axes.unicode_minus": True,
            "text.parse_math": False,  # names may have a dollar
        }
    )


def _finish_svg(svg: str, chart: Chart) -> str:
    svg = _METADATA.sub("", svg, count=1)
    head = f"<title>{escape(chart.title)}</title><desc>{escape(chart.finding)}</desc>"
    start = svg.index("<svg")
    end = svg.index(">", start)
    return f'{svg[:end]} role="img">{head}{svg[end + 1 :]}'


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
