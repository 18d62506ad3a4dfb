"""The readable text of pages: headings kept, scripts and menus gone, nothing breaks it."""

import pytest
import trafilatura

from pipeline.importing import html_text
from pipeline.importing.html_text import read_page

SENTENCE = "The river begins in the hills and runs a long way west to the sea. "


def article(body: str, head: str = "") -> bytes:
    return f"<html><head>{head}</head><body>{body}</body></html>".encode()


@pytest.mark.parametrize("level", range(1, 7))
def test_headings_of_every_level_survive(level: int) -> None:
    page = read_page(
        article(f"<p>{SENTENCE * 5}</p><h{level}>The course</h{level}><p>{SENTENCE * 5}</p>")
    )
    assert f"\n{'#' * level} The course\n" in page.text


@pytest.mark.parametrize(
    "raw", [b"<p>Two.</p>", b"Two.", b"<html>Two.", "<p>Two.</p>".encode("utf-16")]
)
def test_a_scrap_of_a_page_is_read(raw: bytes) -> None:
    assert read_page(raw).text == "Two."


@pytest.mark.parametrize("body", ["<p>Short.</p>", f"<article><p>{SENTENCE * 20}</p></article>"])
def test_scripts_styles_and_menus_are_gone(body: str) -> None:
    page = read_page(
        article(f"<nav>Menu item</nav>{body}<script>evil()</script><style>p {{}}</style>")
    )
    assert page.text
    for word in ("evil", "Menu", "{"):
        assert word not in page.text


@pytest.mark.parametrize("sentences", [1, 60])
def test_lists_and_tables_keep_their_words(sentences: int) -> None:
    long = "".join(f"<p>{SENTENCE} It is told {number} times.</p>" for number in range(sentences))
    page = read_page(
        article(
            f"<h2>Facts</h2>{long}<ul><li>Salmon live here</li></ul>"
            f"<table><tr><th>Length</th><td>121 km</td></tr></table>{long}"
        )
    )
    lines = page.text.split("\n")
    assert lines[0] == "## Facts"
    assert "- Salmon live here" in lines
    assert "Length | 121 km" in lines


def test_a_paragraph_cannot_pose_as_a_heading() -> None:
    page = read_page(article(f"<h2>Real</h2><p># Fake</p><p>{SENTENCE * 5}</p>"))
    assert [line for line in page.text.split("\n") if line.startswith("#")] == ["## Real"]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", ""])
def test_only_web_addresses_become_the_url(url: str) -> None:
    head = f'<link rel="canonical" href="{url}">'
    assert read_page(article(f"<p>{SENTENCE}</p>", head)).url == ""


def test_a_page_in_any_encoding_is_read() -> None:
    body = "<p>" + "Le café près de la rivière est fermé. " * 5 + "</p>"
    assert "café" in read_page(article(body).decode().encode("latin-1")).text
    assert read_page("<p>Zürich liegt an der Limmat.</p>".encode()).text.startswith("Zürich")


def test_a_page_nested_thousands_deep_does_not_break() -> None:
    page = read_page(article("<h1>A</h1>" + "<div>" * 20_000 + "deep" + "</div>" * 20_000))
    assert page.title == "A"


def test_a_combining_character_after_a_tag_breaks_nothing() -> None:
    page = read_page(article(f"<p>\u0338 first</p><p>{SENTENCE * 99}</p><h2>Last</h2><p>end</p>"))
    assert page.text.split("\n")[-2:] == ["## Last", "end"]
    assert page.text.startswith("\u0338 first")


def test_a_tag_that_takes_too_long_to_read_is_excluded(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    load = trafilatura.load_html
    monkeypatch.setattr(trafilatura, "load_html", lambda raw: seen.append(raw) or load(raw))
    many = " ".join(f"a{number}=1" for number in range(5_000))
    page = read_page(f"<html><body><p {many}>A mill stands here.</p></body></html>".encode())
    assert page.text == "A mill stands here."
    assert len(seen[0]) < 200


# ---- Pages that would take long ------------------------------------------------------------------
def refuse(*_: object, **__: object) -> None:
    raise AssertionError("trafilatura must not read this here")


@pytest.mark.parametrize(
    "cells",
    [*(f"<table><tr>{cell * 2_000}<td>" for cell in ("<td>", "<th>", "<td></td>")), "<td>" * 4_000],
    ids=["td", "th", "closed", "without a row"],
)
def test_a_row_of_thousands_of_cells_is_read_without_trafilatura(
    cells: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its work grows with the square of the cells of a row; cells without a row count as one."""
    monkeypatch.setattr(trafilatura, "extract", refuse)
    assert read_page(article(f"{cells}{SENTENCE * 40}")).text.startswith(SENTENCE.strip())


def test_an_ordinary_table_is_read_with_trafilatura(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trafilatura, "extract", refuse)
    with pytest.raises(AssertionError, match="must not"):
        read_page(article("<table>" + "<tr><td>a<td>b" * 900 + f"</table><p>{SENTENCE * 40}"))


def test_a_page_of_many_tags_is_read_in_another_process_with_the_same_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = article(f"<h1>Ribble</h1><p>{SENTENCE * 40}</p><h2>Course</h2><p>Zürich</p>" * 10)
    here = read_page(raw)
    monkeypatch.setattr(trafilatura, "extract", refuse)
    monkeypatch.setattr(html_text, "FEW_TAGS", 10)
    assert read_page(raw) == here
