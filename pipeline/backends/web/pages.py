"""Pages by address, from the cache or the guarded client.

Unreadable pages are recorded: missing evidence is a fact about a revision.
"""

import logging
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Self

from pipeline.backends.response_cache import cache_key
from pipeline.backends.web.addresses import Url, shortened
from pipeline.backends.web.domains import Domains
from pipeline.backends.web.errors import ExcludedDomain, FetchError, NoText, RefusedByRobots
from pipeline.backends.web.guarded import GuardedClient, WebResponse
from pipeline.backends.web.robots import Robots
from pipeline.backends.work import WorkContext
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


logger = logging.getLogger(__name__)

AT_ONCE = 12
"""Pages at once, over all hosts; each host gets pauses."""
OF_THIS_RUN = "The run excludes this domain."
RETRY_SECONDS = 86_400.0
"""Cache time of a failure: a bot wall or a missing page may pass."""
VERSION = 2
"""Raise it when a page gives another document: cached pages are then fetched again."""


@dataclass(frozen=True, kw_only=True)
class PageReader:
    client: GuardedClient
    robots: Robots
    domains: Domains
    work: WorkContext = field(default_factory=WorkContext)
    now: Callable[[], float] = time.time

    def for_work(self, work: WorkContext) -> Self:
        return replace(self, work=work)

    def read(self, titles: Mapping[str, str]) -> dict[str, Document]:
        """Return the readable documents; `titles`, by address, are defaults."""
        keys = {url: cache_key("page", url=url, version=VERSION) for url in titles}
        known = self.work.cache.get_many(list(keys.values()))
        expired = self.now() - RETRY_SECONDS
        cached = {
            url: value
            for url, key in keys.items()
            if (value := known.get(key))
            and ("skipped" not in value or value.get("at", 0.0) > expired)
        }
        new = [url for url in titles if url not in cached and self.domains.permits(url)]
        if new:
            # Only this thread uses the cache, which may hold a database connection.
            with ThreadPoolExecutor(min(AT_ONCE, len(new)), thread_name_prefix="page") as pool:
                read = dict(
                    zip(new, pool.map(lambda url: self._read(url, titles[url]), new), strict=True)
                )
            lasting = {keys[url]: plain for url, (plain, lasts) in read.items() if lasts}
            if lasting:
                self.work.cache.put_many(lasting)
            cached |= {url: plain for url, (plain, _) in read.items()}
        documents: dict[str, Document] = {}
        for url in titles:
            document = _document(cached.get(url))
            if document is not None and self.domains.permits(document.url):
                documents[url] = document
            elif url in cached and document is None:
                self.work.skip_page(
                    url, kind=cached[url].get("kind", ""), reason=cached[url]["skipped"]
                )
            else:
                self.work.skip_page(url, kind=ExcludedDomain.__name__, reason=OF_THIS_RUN)
        return documents

    def _read(self, url: str, title: str) -> tuple[dict[str, Any], bool]:
        try:
            answer = self.client.get(url, media_types=MEDIA_TYPES, permit=self._permit)
            document = read_document(answer, title=title)
        except FetchError as error:
            logger.info("page skipped (%s): %s", type(error).__name__, error)
            of_this_run = isinstance(error, ExcludedDomain | RefusedByRobots)
            why = {"skipped": str(error), "kind": type(error).__name__, "at": self.now()}
            return why, not error.passes and not of_this_run
        except Exception:
            # An unforeseen page; the passage has others.
            logger.exception("page skipped: %s", shortened(url))
            return {"skipped": "It cannot be read.", "kind": "Unreadable"}, False
        return {"title": document.title, "url": document.url, "text": document.text}, True

    def _permit(self, url: Url) -> None:
        self.domains.check(url)
        self.robots.check(url, permit=self.domains.check)


def _document(cached: Any) -> Document | None:
    match cached:
        case {"title": str(title), "url": str(url), "text": str(text)}:
            return Document(id=url, title=title, url=url, text=text)
    return None
