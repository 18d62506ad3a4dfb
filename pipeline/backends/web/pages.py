"""Pages by address, from the cache or the guarded client.

Unreadable pages are recorded: missing evidence is a fact about a revision.
"""

import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Self

from pipeline.backends.response_cache import cache_key
from pipeline.backends.web.addresses import Url, shortened
from pipeline.backends.web.documents import MEDIA_TYPES, read_document
from pipeline.backends.web.domains import Domains
from pipeline.backends.web.errors import ExcludedDomain, FetchError, RefusedByRobots
from pipeline.backends.web.guarded import GuardedClient
from pipeline.backends.web.robots import Robots
from pipeline.backends.work import WorkContext
from pipeline.rarr.types import Document

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
