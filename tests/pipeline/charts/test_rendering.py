"""Every kind of chart, in every scheme and width, with few and many points."""

import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from pipeline.charts import schemes
from pipeline.charts.chart import NARROW, TICK, WIDE, ChartValue
from pipeline.charts.intervals import Entry, Intervals, Row
from pipeline.charts.rendering import PNG_SCALE, render
from pipeline.charts.schemes import DARK, LIGHT, SCHEMES
from tests.support.charts import CHARTS, tradeoff

SVG = "{http://www.w3.org/2000/svg}"
TOKENS = Path("static/css/variables.css")


@pytest.fixture(autouse=True)
def _no_warning() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # What an earlier test left open is collected at any moment, and is no fault of a chart.
        warnings.simplefilter("ignore", ResourceWarning)
        yield


# A scheme moves nothing, and points change no colour.
@pytest.mark.parametrize(
    ("points", "scheme"), [*((12, scheme) for scheme in SCHEMES), (1, "light"), (2000, "light")]
)
@pytest.mark.parametrize("kind", CHARTS)
def test_svg_is_well_formed_and_accessible(kind: str, points: int, scheme: str) -> None:
    chart = CHARTS[kind](points)
    for width in (NARROW, WIDE):
        root = ElementTree.fromstring(  # noqa: S314  # our own
            render(chart, "svg", scheme=scheme, width=width)
        )
        assert (root[0].tag, root[0].text) == (f"{SVG}title", chart.title)
        assert (root[1].tag, root[1].text) == (f"{SVG}desc", chart.finding)
        words = " ".join("".join(each.itertext()) for each in root.iter(f"{SVG}text"))
        assert chart.x in words  # type: ignore[attr-defined]  # all kinds have one
        assert not list(root.iter(f"{SVG}script"))
        assert SCHEMES[scheme].ink in ElementTree.tostring(root, encoding="unicode")


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_rows_keep_their_height_above_a_legend_of_long_names(width: int) -> None:
    entries = tuple(
        Entry(series=name, span=ChartValue(value=0.5, low=0.4, high=0.6), n=n)
        for name, n in (("not attributed before, attributed after", 5), ("the other way round", 7))
    )
    names = {"title": "Changes", "finding": "One row.", "x": "Share", "head": ("a",) * 7}
    chart = Intervals(**names, low=0, high=1, rows=(Row(name="rarr", entries=entries),))
    drawn = render(chart, "svg", width=width).decode()
    above, below = (
        float(re.search(rf' y="(\S+?)"[^>]*>n = {n}<', drawn)[1])  # type: ignore[index]
        for n in (5, 7)
    )
    assert below - above >= TICK


@pytest.mark.parametrize("points", [1, 12, 2000])
@pytest.mark.parametrize("kind", CHARTS)
def test_png_is_sharp_and_pdf_keeps_text(kind: str, points: int, tmp_path: Path) -> None:
    chart = CHARTS[kind](points)
    (tmp_path / "chart.png").write_bytes(render(chart, "png"))
    with Image.open(tmp_path / "chart.png") as image:
        assert image.size == (WIDE * PNG_SCALE, chart.height(WIDE) * PNG_SCALE)
        assert len(image.convert("L").getcolors(1 << 16) or []) > 10
    pdf = render(chart, "pdf")
    assert pdf.startswith(b"%PDF-")
    assert b"/CIDFontType2" in pdf or b"/TrueType" in pdf
    assert b"/Type3" not in pdf


@pytest.mark.parametrize("kind", CHARTS)
def test_nothing_is_not_drawn_and_a_table_has_a_cell_for_each_head(kind: str) -> None:
    chart = CHARTS[kind](12)
    assert {len(row) for row in chart.cells} == {len(chart.head)}
    chart = CHARTS[kind](0)
    assert chart.is_empty
    assert chart.cells == ()
    with pytest.raises(ValueError, match="nothing to draw"):
        render(chart, "svg")


@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
@pytest.mark.parametrize("kind", CHARTS)
def test_the_same_chart_is_the_same_bytes(kind: str, form: str) -> None:
    assert render(CHARTS[kind](12), form) == render(CHARTS[kind](12), form)  # type: ignore[arg-type]  # a form


@pytest.mark.parametrize(("position", "scheme"), [(0, LIGHT), (1, DARK)])
def test_colours_are_the_page_s_tokens(position: int, scheme: schemes.Scheme) -> None:
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", TOKENS.read_text())
    tokens = {name: colours[position] for name, *colours in pairs}
    names = ("ink", "muted", "rule", "line", "card")
    assert {name: getattr(scheme, name) for name in names} == {name: tokens[name] for name in names}
    assert list(scheme.series) == [tokens[f"series-{i}"] for i in range(1, 6)]


def test_paper_brings_its_ground_along(tmp_path: Path) -> None:
    for scheme, opaque in (("print", 255), ("light", 0)):
        (tmp_path / "chart.png").write_bytes(render(tradeoff(1), "png", scheme=scheme))
        with Image.open(tmp_path / "chart.png") as image:
            assert image.convert("RGBA").getpixel((1, 1))[3] == opaque  # type: ignore[index]  # RGBA


def test_a_name_with_a_dollar_is_no_formula() -> None:
    chart = tradeoff(1)
    point = replace(chart.points[0], name="pay $5 or $x^2$")  # type: ignore[attr-defined]  # a Tradeoff
    svg = render(replace(chart, points=(point,)), "svg").decode()  # type: ignore[type-var]  # a dataclass
    assert "pay $5 or $x^2$" in svg


def test_the_library_is_not_loaded_before_a_chart_is_drawn() -> None:
    code = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings';"
        "django.setup(); import rarrweb.urls; assert 'annotation.views.charts' in sys.modules;"
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
