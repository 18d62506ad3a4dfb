"""The readable text of a web page, with headings as `#` lines."""

import json
import logging
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import lxml.etree  # type: ignore[import-untyped]
import lxml.html  # type: ignore[import-untyped]
import trafilatura

from pipeline.importing.limited_process import limited_input, run_limited

_PARAGRAPHS = {"p", "li", "dt", "dd", "blockquote", "pre", "figcaption", "caption", "address"}
_CONTAINERS = {"div", "section", "article", "main", "tr", "ul", "ol", "table", "body"}
_BLOCKS = _PARAGRAPHS | _CONTAINERS
_CONTROLS = {"nav", "footer", "form", "button"}
_EXCLUDED = _CONTROLS | {"script", "style", "noscript", "template", "svg", "iframe"}
SHORT_PAGE = 2_000
FEW_TAGS = 5_000
"""Pages with more are read in a limited process: trafilatura's time grows with the square of
the number of short lines, and is below a second up to here. Of 595 pages of news, Wikipedia and
documentation, one in ten has more; all but one have fewer than 32,000.
"""
MOST_TAGS = 100_000
"""Opening and closing tags; more are not read."""
MOST_CELLS = 200
"""In a row; trafilatura's time grows with the square of the empty cells."""
_HEADING = re.compile(r"^h[1-6]$")
_LONG_TAG = re.compile(rb"<[A-Za-z][^<>]{20000,}>?")
"""libxml2's time to read a tag grows with the square of its attributes."""


logging.getLogger("trafilatura").setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`text` is "" if nothing is readable."""

    title: str
    url: str
    text: str


def read_page(raw: bytes) -> Page:
    """Return trafilatura's main text, or all visible text if that is poor.

    Skips navigation, scripts and forms. Raises `ProcessFailed`.
    """
    if raw.count(b"<") <= FEW_TAGS:
        return _read_here(raw)
    return Page(**json.loads(run_limited(__name__, raw)))


def _read_here(raw: bytes) -> Page:
    tree = _parse(raw)
    if tree is None:
        return Page(title="", url="", text="")
    title = _flat("".join(tree.xpath("string(//head/title[1])")))
    url = next(iter(tree.xpath("//link[@rel='canonical']/@href")), "").strip()
    visible = list(_visible_lines(tree))
    fallback = "\n".join(visible)
    has_wide_row = tree.xpath("//*[count(td) + count(th) > $most]", most=MOST_CELLS)
    lines = visible if has_wide_row else _main_lines(tree, visible)
    text = fallback if _is_poor(lines, fallback) else "\n".join(lines)
    heading = next((line.lstrip("# ") for line in text.split("\n") if _is_heading(line)), "")
    return Page(
        title=title or heading,
        url=url if url.startswith(("http://", "https://")) else "",
        text=text,
    )


def _main_lines(tree: Any, visible: list[str]) -> list[str]:
    extracted = trafilatura.extract(
        tree, output_format="xml", include_comments=False, favor_recall=True
    )
    try:
        return _with_headings(_extracted_lines(extracted) if extracted else [], visible)
    except lxml.etree.XMLSyntaxError:
        # trafilatura normalizes its XML: combining characters break a tag.
        return visible


def _parse(raw: bytes) -> Any:
    """Return the page's tree, or None.

    trafilatura detects encodings better; lxml also accepts very short pages.
    """
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raw = raw.decode("utf-16", errors="replace").encode()
    raw = _LONG_TAG.sub(b"", raw)
    tree = trafilatura.load_html(raw)
    if tree is not None:
        return tree
    if b"\0" in raw:
        return None
    try:
        # lxml defaults to Latin-1.
        parser = lxml.html.HTMLParser(encoding="utf-8" if _is_utf_8(raw) else None)
        return lxml.html.document_fromstring(raw, parser=parser)
    except (lxml.etree.LxmlError, ValueError):
        return None


def _is_utf_8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_poor(lines: list[str], fallback: str) -> bool:
    """Return whether the page is too short for trafilatura, or lost its headings.

    Anything but an article becomes one flat paragraph with menus.
    """
    if len(fallback) < SHORT_PAGE:
        return True
    if any(_is_heading(line) for line in lines):
        return False
    flat = "\n".join(lines)
    headings = (line.lstrip("# ") for line in fallback.split("\n") if _is_heading(line))
    return any(heading in flat for heading in headings)


def _with_headings(lines: list[str], visible: list[str]) -> list[str]:
    """Restore lost headings above the text that follows them.

    A heading without extracted text below it belongs to a menu.
    """
    present = {line.lstrip("# ") for line in lines if _is_heading(line)}
    positions: dict[str, int] = {}
    for position, line in enumerate(lines):
        positions.setdefault(_beginning(line), position)
    put_back: dict[int, list[str]] = {}
    lost: list[str] = []
    has_text = False
    for line in visible:
        if _is_heading(line):
            if has_text:
                lost, has_text = [], False
            if line.lstrip("# ") not in present:
                lost.append(line)
        elif lost:
            has_text = True
            if (following := positions.get(_beginning(line))) is not None:
                put_back.setdefault(following, []).extend(lost)
                lost = []
    return [
        each for position, line in enumerate(lines) for each in (*put_back.get(position, ()), line)
    ]


def _beginning(line: str) -> str:
    return line.removeprefix("- ")[:40]


def _is_heading(line: str) -> bool:
    return line.startswith("#")


def _extracted_lines(extracted: str) -> list[str]:
    parser = lxml.etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    root = lxml.etree.fromstring(extracted.encode(), parser)
    main = root.find("main")
    if main is None:
        return []
    lines = [_paragraph(main.text or "")]
    for element in main:
        lines += _element_lines(element)
        lines.append(_paragraph(element.tail or ""))
    return [line for line in lines if line]


def _element_lines(element: Any) -> Iterator[str]:
    match element.tag:
        case "head":
            words = _flat("".join(element.itertext()))
            if words:
                rend = element.get("rend") or "h2"
                level = int(rend[1]) if _HEADING.match(rend) else 2
                yield f"{'#' * level} {words}"
        case "list":
            for entry in element.iter("item"):
                words = _paragraph("".join(entry.itertext()))
                yield f"- {words}" if words else ""
        case "table":
            for row in element.iter("row"):
                cells = [_flat("".join(cell.itertext())) for cell in row.iter("cell")]
                yield " | ".join(cell for cell in cells if cell)
        case _:
            yield _paragraph("".join(element.itertext()))


def _visible_lines(tree: Any) -> Iterator[str]:
    body = tree.find("body")
    waiting: list[str] = []

    def flush(prefix: str = "") -> Iterator[str]:
        words = _flat("".join(waiting)) if prefix else _paragraph("".join(waiting))
        waiting.clear()
        words = words.strip("| ")
        if words and words != "-":
            yield prefix + words

    # Iterative: elements may nest thousands deep.
    events = lxml.etree.iterwalk(tree if body is None else body, events=("start", "end"))
    skipping: Any = None
    for event, element in events:
        tag = element.tag if isinstance(element.tag, str) else ""
        excluded = not tag or tag in _EXCLUDED
        if event == "start" and skipping is None:
            if excluded:
                skipping = element
                continue
            if tag in _BLOCKS or _HEADING.match(tag) or tag == "br":
                yield from flush()
            waiting.append(("- " if tag == "li" else "") + (element.text or ""))
        elif event == "end":
            if skipping is None:
                if _HEADING.match(tag):
                    yield from flush(prefix="#" * int(tag[1]) + " ")
                elif tag in _BLOCKS:
                    yield from flush()
                elif tag in {"td", "th"}:
                    waiting.append(" | ")
            if skipping is element:
                skipping = None
            if skipping is None and element is not body:
                waiting.append(element.tail or "")
    yield from flush()


def _flat(text: str) -> str:
    return " ".join(text.split())


def _paragraph(text: str) -> str:
    """Return one line that cannot look like a heading."""
    return _flat(text).lstrip("# ") if text.lstrip().startswith("#") else _flat(text)


if __name__ == "__main__":
    json.dump(asdict(_read_here(limited_input())), sys.stdout)
