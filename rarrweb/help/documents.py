"""The documents of the repository as safe HTML with searchable sections."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import nh3
from django.conf import settings
from django.urls import reverse
from markdown_it import MarkdownIt
from markdown_it.token import Token

from rarrweb.accounts.models import User
from rarrweb.web.markdown import TAGS, CleanHtml

ROOT_DOCUMENTS = {
    "readme": "README.md",
    "contributing": "CONTRIBUTING.md",
    "security": "SECURITY.md",
    "changelog": "CHANGELOG.md",
}
INDEX = ""
"""The name of docs/README.md."""
RATERS_INDEX = "judging"
RATERS = (RATERS_INDEX, "raters", "glossary")
"""The documents that raters are offered; the others answer to their addresses."""
MAX_RESULTS = 20
EXCERPT = 160
"""Characters around the first match."""

_PARSER = MarkdownIt("commonmark").enable("table")
_TABLE = {"table", "thead", "tbody", "tr", "th", "td"}
_ATTRIBUTES = {"a": {"href"}, "img": {"src", "alt"}} | {
    f"h{level}": {"id"} for level in range(1, 5)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with the text up to the next one."""

    title: str
    anchor: str
    level: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpDocument:
    name: str
    title: str
    html: CleanHtml
    sections: Sequence[Section]

    @property
    def url(self) -> str:
        return document_url(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpResult:
    """A section that contains all words of a search."""

    document: HelpDocument
    section: Section
    pieces: Sequence[tuple[str, bool]]
    """The excerpt in parts, each with whether it matches a word."""

    @property
    def url(self) -> str:
        return f"{self.document.url}#{self.section.anchor}"


def document_url(name: str) -> str:
    return reverse("help") if name == INDEX else reverse("help-document", args=[name])


@cache
def documents() -> Mapping[str, HelpDocument]:
    """Return all documents by name; empty if docs/ is not installed."""
    return {name: _read(name, path) for name, path in _files().items()}


def documents_for(user: User) -> Mapping[str, HelpDocument]:
    """Return the documents that the user finds; `INDEX` is the first page."""
    every = documents()
    if user.is_researcher:
        return every
    return {name: every[name] for name in RATERS if name in every}


@cache
def _files() -> dict[str, Path]:
    docs = settings.BASE_DIR / "docs"
    files = {
        str(path.relative_to(docs).with_suffix("")): path for path in sorted(docs.rglob("*.md"))
    }
    files = {INDEX if name == "README" else name: path for name, path in files.items()}
    root = {name: settings.BASE_DIR / file for name, file in ROOT_DOCUMENTS.items()}
    return files | {name: path for name, path in root.items() if path.exists()}


@cache
def _names() -> dict[Path, str]:
    return {file.resolve(): name for name, file in _files().items()}


@cache
def screenshots() -> Mapping[str, Path]:
    return {path.name: path for path in (settings.BASE_DIR / "docs/screenshots").glob("*.png")}


def search(words: str, among: Iterable[HelpDocument]) -> list[HelpResult]:
    """Find the sections with every word, first those with all of them in the heading."""
    wanted = [word.casefold() for word in words.split()]
    if not wanted:
        return []
    ranked = []
    for document in among:
        for section in document.sections:
            title, text = section.title.casefold(), section.text.casefold()
            if all(word in title or word in text for word in wanted):
                rank = (not all(word in title for word in wanted), section.level)
                ranked.append((rank, document, section))
    ranked.sort(key=lambda row: row[0])
    return [
        HelpResult(document=document, section=section, pieces=_excerpt(section.text, wanted))
        for _, document, section in ranked[:MAX_RESULTS]
    ]


def _excerpt(text: str, wanted: Sequence[str]) -> list[tuple[str, bool]]:
    pattern = re.compile("|".join(map(re.escape, wanted)), re.IGNORECASE)
    first = pattern.search(text)
    start = max(first.start() - EXCERPT // 2, 0) if first else 0
    excerpt = text[start : start + EXCERPT]
    pieces, end = [("… " if start else "", False)], 0
    for match in pattern.finditer(excerpt):
        pieces += [(excerpt[end : match.start()], False), (match.group(), True)]
        end = match.end()
    return [*pieces, (excerpt[end:] + (" …" if start + EXCERPT < len(text) else ""), False)]


def _read(name: str, path: Path) -> HelpDocument:
    tokens = _PARSER.parse(path.read_text("utf-8"))
    sections = list(_sections(tokens))
    for token in tokens:
        if token.children:
            _point_links(token.children, path)
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if before.type == "th_open" and not token.content:  # an empty header cell
            before.tag = after.tag = "td"
    html = nh3.clean(
        _PARSER.renderer.render(tokens, _PARSER.options, {}),
        tags=TAGS | _TABLE | {"h1", "a", "pre", "img", "sub"},
        attributes=_ATTRIBUTES,
        link_rel="noreferrer noopener",
    )
    title = sections[0].title if sections else name
    return HelpDocument(name=name, title=title, html=CleanHtml(html), sections=sections)


def _sections(tokens: Sequence[Token]) -> Iterator[Section]:
    """Yield the sections; their headings get anchors as on GitHub."""
    starts = [index for index, token in enumerate(tokens) if token.type == "heading_open"]
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        heading = tokens[start]
        title = _plain(tokens[start + 1])
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        heading.attrSet("id", anchor)
        text = " ".join(_plain(token) for token in tokens[start + 2 : end] if token.content)
        yield Section(
            title=title, anchor=anchor, level=int(heading.tag[1]), text=" ".join(text.split())
        )


def _plain(token: Token) -> str:
    if not token.children:
        return token.content
    return "".join(
        " " if child.type in ("softbreak", "hardbreak") else child.content
        for child in token.children
        if child.type not in ("image", "html_inline")
    )


def _point_links(tokens: Sequence[Token], path: Path) -> None:
    """Link to documents and to pages of the site; remove other files, and images elsewhere."""
    for token in tokens:
        if token.type == "image":
            file = (path.parent / str(token.attrGet("src"))).resolve()
            screenshot = screenshots().get(file.name)
            is_known = screenshot is not None and screenshot.resolve() == file
            token.attrSet("src", reverse("help-screenshot", args=[file.name]) if is_known else "")
        if token.type != "link_open":
            continue
        target = str(token.attrGet("href"))
        address = urlsplit(target)
        if address.scheme in ("http", "https") or target.startswith(("#", "/")):
            continue
        name = _names().get((path.parent / address.path).resolve())
        if name is None:
            del token.attrs["href"]
        else:
            anchor = f"#{address.fragment}" if address.fragment else ""
            token.attrSet("href", document_url(name) + anchor)
