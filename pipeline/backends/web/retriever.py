"""A web search as a retriever."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from pipeline.backends.response_cache import cache_key
from pipeline.backends.web.domains import Domains
from pipeline.backends.web.errors import ExcludedDomain
from pipeline.backends.web.pages import OF_THIS_RUN, PageReader
from pipeline.backends.work import WorkContext
from pipeline.rarr.errors import TransientError
from pipeline.rarr.types import Document

QUERIES_AT_ONCE = 8
SPARE = 5
"""Results beyond the limit, for unreadable pages and excluded domains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    url: str
    title: str


class SearchEngine(Protocol):
    """Raises `TransientError` or `BadConfig`."""

    @property
    def identity(self) -> str:
        """All that decides results besides query and limit, without keys."""
        ...

    def find(self, query: str, *, limit: int) -> Sequence[Hit]: ...


@dataclass(frozen=True, kw_only=True)
class WebRetriever:
    engine: SearchEngine
    pages: PageReader
    domains: Domains

    def for_work(self, work: WorkContext) -> Self:
        return replace(self, pages=self.pages.for_work(work))

    def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]:
        """See `ports.Retriever`; the next results replace unreadable pages, once.

        Raises `TransientError` where a query has no response.
        """
        results = self._find(list(dict.fromkeys(queries)), limit=limit + SPARE)
        read: dict[str, Document] = {}
        tried: dict[str, str] = {}
        for _ in range(2):
            wanted: dict[str, str] = {}
            for hits in results.values():
                missing = limit - sum(hit.url in read for hit in hits)
                untried = [hit for hit in hits if hit.url not in tried]
                wanted |= {hit.url: hit.title for hit in untried[: max(missing, 0)]}
            if wanted:
                read |= self.pages.read(wanted)
                tried |= wanted
        # Each page once, though several addresses led to it.
        pages = [[read[hit.url] for hit in results[query] if hit.url in read] for query in queries]
        return [list({each.id: each for each in some}.values())[:limit] for some in pages]

    def _find(self, queries: list[str], *, limit: int) -> dict[str, list[Hit]]:
        keys = {
            query: cache_key("search", engine=self.engine.identity, query=query, limit=limit)
            for query in queries
        }
        known = dict(self.pages.work.cache.get_many(list(keys.values())))
        new = [query for query in queries if keys[query] not in known]
        failure: TransientError | None = None
        if new:
            with ThreadPoolExecutor(min(QUERIES_AT_ONCE, len(new)), "search") as pool:
                futures = {
                    keys[query]: pool.submit(self.engine.find, query, limit=limit) for query in new
                }
            answered: dict[str, Any] = {}
            for key, future in futures.items():
                try:
                    hits = future.result()
                    answered[key] = [[hit.url, hit.title] for hit in hits]
                except TransientError as error:
                    failure = failure or error
            # Cached although another query failed: a retry need not repeat it.
            if answered:
                self.pages.work.cache.put_many(answered)
            known |= answered
        if failure:
            raise failure
        return {query: self._usable(known[key]) for query, key in keys.items()}

    def _usable(self, cached: Any) -> list[Hit]:
        hits = [Hit(url=over_https(str(url)), title=str(title)) for url, title in cached]
        unique = {same_page(hit.url): hit for hit in reversed(hits)}
        usable = []
        for hit in hits:
            if not self.domains.permits(hit.url):
                self.pages.work.skip_page(hit.url, kind=ExcludedDomain.__name__, reason=OF_THIS_RUN)
            elif unique[same_page(hit.url)] is hit:
                usable.append(hit)
        return usable


def over_https(url: str) -> str:
    """Return the address with https, which most sites have.

    >>> over_https("HTTP://example.org/a"), over_https("http://example.org:8080/")
    ('https://example.org/a', 'http://example.org:8080/')
    """
    scheme, colon, rest = url.partition("://")
    plain = scheme.lower() == "http" and ":" not in rest.partition("/")[0]
    return f"https://{rest}" if plain and colon else url


def same_page(url: str) -> str:
    """Normalize an address to compare pages.

    >>> same_page("http://www.example.org/a/#b") == same_page("https://example.org/a")
    True
    """
    bare = url.partition("#")[0].partition("://")[2]
    host, _, rest = bare.partition("/")
    return f"{host.lower().removeprefix('www.')}/{rest.rstrip('/')}"
