"""What servers send, as documents."""

import io
from typing import Any

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from pipeline.backends.web.addresses import read_url
from pipeline.backends.web.errors import NoText
from pipeline.backends.web.guarded import WebResponse
from pipeline.backends.web.pages import LONGEST_TEXT, read_document
from pipeline.importing import html_text, limited_process
from pipeline.rarr.windows import sections

URL = "https://pages.test/river?a=b"
PAGE = """<html><head><title>The River Ash</title>
<link rel="canonical" href="https://en.wikipedia.org/wiki/River_Ash"></head><body>
<nav>Home</nav><h1>River Ash</h1><p>The Ash is 96 kilometres long.</p>
<h2>Course</h2><p>It ends at Denby.</p><script>alert(1)</script></body></html>"""


def answer(body: bytes | str, media_type: str = "text/html", charset: str = "") -> WebResponse:
    raw = body if isinstance(body, bytes) else body.encode()
    return WebResponse(url=read_url(URL), media_type=media_type, charset=charset, body=raw)


def pdf(*lines: str, title: str = "") -> bytes:
    """A PDF with a page a line."""
    writer, out = PdfWriter(), io.BytesIO()
    names = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font = DictionaryObject({NameObject(key): NameObject(name) for key, name in names.items()})
    fonts = DictionaryObject({NameObject("/F1"): font})
    for line in lines:
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 72 700 Td ({line}) Tj ET".encode())
        page = writer.add_blank_page(612, 792)
        page[NameObject("/Contents")] = writer._add_object(content)
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    writer.add_metadata({"/Title": title})
    writer.write(out)
    return out.getvalue()


def test_a_page_keeps_its_headings_and_loses_its_scripts() -> None:
    document = read_document(answer(PAGE))
    assert document.title == "The River Ash"
    assert [heading for heading, _ in sections(document.text)] == ["River Ash", "Course"]
    assert "alert" not in document.text
    assert "Home" not in document.text
    assert document.id == document.url == URL, "a page cannot pass for another one"
    assert read_document(answer("<p>Some text.</p>"), title=" A \n title ").title == "A title"


def test_the_servers_character_set_is_used_and_an_unknown_one_ignored() -> None:
    body = "<p>Zürich liegt an der Limmat.</p>".encode("latin-1")
    for charset in ("iso-8859-1", "windows-1252", "ISO-8859-1"):
        assert "Zürich" in read_document(answer(body, charset=charset)).text
    for charset in ("no-such-set", "hex", "zip", "a\0b"):
        assert read_document(answer("<p>Plain words.</p>", charset=charset)).text == "Plain words."


def test_plain_text_is_read_unchanged() -> None:
    for media_type in ("text/plain", "text/markdown"):
        document = read_document(answer("# Ash\r\nIt is\0 long.", media_type), title="Ash")
        assert (document.title, document.text) == ("Ash", "# Ash\nIt is long.")


def test_a_pdf_is_read_a_page_a_line() -> None:
    raw = pdf("# The Ash is 96 kilometres long.", "It ends at Denby.", title="River Ash")
    document = read_document(answer(raw, "application/pdf"))
    assert document.title == "River Ash"
    assert document.text == "The Ash is 96 kilometres long.\nIt ends at Denby."


BROKEN_PDF = b"%PDF-1.4\n" + b"[" * 100_000


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        *((text, "text/html") for text in ("", "<script>alert(1)</script>", "\0\0")),
        (" \n", "text/plain"),
        *((file, "application/pdf") for file in ("no PDF", pdf("x")[:200], BROKEN_PDF)),
    ],
)
def test_what_holds_no_text_is_reported(body: Any, media_type: str) -> None:
    with pytest.raises(NoText, match="contains no readable text"):
        read_document(answer(body, media_type))


def test_a_page_of_nothing_but_tags_is_read_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_text, "MOST_TAGS", 2_000)
    text = read_document(answer("<p>First words.</p>" + "<p>a" * 50_000 + "<p>Last words.")).text
    assert text.startswith("First words.")
    assert 1_990 < text.count("\na") < 2_000
    assert "Last" not in text


def test_a_long_page_is_read_to_the_end_of_a_sentence() -> None:
    text = read_document(answer("It is a sentence. " * 10_000, "text/plain")).text
    assert len(text) <= LONGEST_TEXT
    assert text.endswith("sentence.")


def test_a_page_that_takes_too_much_cpu_time_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited_process, "CPU_SECONDS", 1)
    with pytest.raises(NoText, match=r"pages\.test.* takes too long to read"):
        read_document(answer("<ul><li>x</ul>" * 30_000))


def test_pages_before_a_slow_page_of_a_pdf_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited_process, "CPU_SECONDS", 3)
    endless = "a) Tj (" * 3_000_000
    document = read_document(answer(pdf("The first page.", endless), "application/pdf"))
    assert document.text == "The first page."
