"""Documents from web responses: HTML with headings, PDF, plain text."""

import re

from pipeline.backends.web.addresses import shortened
from pipeline.backends.web.errors import NoText
from pipeline.backends.web.guarded import WebResponse
from pipeline.importing.limited_process import ProcessFailed
from pipeline.importing.pdf_text import read_pdf
from pipeline.importing.rows import MAX_TITLE_CHARACTERS
from pipeline.rarr.types import Document

HTML = ("text/html", "application/xhtml+xml")
PDF = "application/pdf"
PLAIN = ("text/plain", "text/markdown", "text/x-markdown")
MEDIA_TYPES = (*HTML, PDF, *PLAIN)
LONGEST_TEXT = 100_000
"""Characters read of a page: each window is scored for each query."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def read_document(answer: WebResponse, *, title: str = "") -> Document:
    """Read a response; `title` is the default. Raises `NoText`.

    Id and address are the response's: a page could claim another identity.
    """
    if answer.media_type in HTML:
        # Its import takes a second, and most processes read no page.
        from pipeline.importing.html_text import MOST_TAGS, read_page

        try:
            is_utf_8 = answer.charset.replace("-", "") in {"", "utf8"}
            raw = answer.body if is_utf_8 else _decoded(answer).encode(errors="replace")
            page = read_page(_beginning(raw, tags=MOST_TAGS))
        except ProcessFailed:
            raise NoText(f"{shortened(str(answer.url))} takes too long to read.") from None
        page_title, text = page.title, page.text
    elif answer.media_type == PDF:
        page_title, pages = read_pdf(answer.body, most_characters=LONGEST_TEXT)
        # Lines of a PDF depend on the paper, and none is a heading.
        text = "\n".join(" ".join(page.split()).lstrip("# ") for page in pages if page.strip())
    else:
        page_title, text = "", _decoded(answer)
    text = _bounded(_clean(text))
    if not text.strip():
        raise NoText(f"{shortened(str(answer.url))} contains no readable text.")
    url = str(answer.url)
    return Document(
        id=url,
        title=" ".join(_clean(page_title or title).split())[:MAX_TITLE_CHARACTERS],
        url=url,
        text=text,
    )


def _beginning(raw: bytes, *, tags: int) -> bytes:
    if raw.count(b"<") <= tags:
        return raw
    return b"<".join(raw.split(b"<", tags)[:-1])


def _decoded(answer: WebResponse) -> str:
    try:
        return answer.body.decode(answer.charset or "utf-8-sig", errors="replace")
    except (LookupError, ValueError):  # no such encoding
        return answer.body.decode("utf-8-sig", errors="replace")


def _clean(text: str) -> str:
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _bounded(text: str) -> str:
    if len(text) <= LONGEST_TEXT:
        return text.strip()
    cut = text[:LONGEST_TEXT]
    end = max(cut.rfind("\n"), cut.rfind(". ") + 1, 0)
    return (cut[:end] if end > LONGEST_TEXT // 2 else cut).strip()
