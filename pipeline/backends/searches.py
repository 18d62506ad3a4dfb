"""Searches by setting: a corpus, web searches, or several interleaved."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from pipeline.backends.json_search import read_engine, searxng
from pipeline.backends.opensearch.corpus import OpenSearchCorpus, OpenSearchIndex
from pipeline.backends.search_names import CORPUS, SOURCES, SearchPart, read_search
from pipeline.backends.tantivy_corpus import TantivyCorpus
from pipeline.backends.web.domains import Domains
from pipeline.backends.web.guarded import GuardedClient
from pipeline.backends.web.pages import PageReader
from pipeline.backends.web.retriever import SearchEngine, WebRetriever, same_page
from pipeline.backends.web.robots import Robots
from pipeline.backends.work import WorkContext, for_work
from pipeline.rarr.errors import BadConfig, RarrError
from pipeline.rarr.ports import Retriever
from pipeline.rarr.types import Document

Index = Path | OpenSearchIndex
"""A corpus's index: a folder of this machine, or OpenSearch."""
_CORPUS_FACTOR = 4
"""Multiplies the limit for a corpus with excluded domains."""


@dataclass(frozen=True, kw_only=True)
class WebClients:
    """Shared by all searches of a process, with the pauses between requests to a host."""

    client: GuardedClient
    robots: Robots
    engines: Path | None = None
    """The folder of the files of `json:` engines."""


def open_index(index: Index) -> TantivyCorpus | OpenSearchCorpus:
    """Open the search of a corpus; raises `MissingIndex`."""
    return TantivyCorpus(index) if isinstance(index, Path) else OpenSearchCorpus(index)


def make_retriever(
    name: str, *, index: Index | None, domains: Domains, web: WebClients
) -> Retriever:
    """Make the search of a setting over the corpus at `index`, if any.

    Raises `BadConfig` for a missing corpus and for an unusable engine.
    """
    pages = PageReader(client=web.client, robots=web.robots, domains=domains)
    made: list[Retriever] = []
    for part in read_search(name):
        if part.kind == SOURCES:  # replaced by those of each passage
            return PassageSources()
        if part.kind != CORPUS:
            engine = make_engine(part, web=web)
            made.append(WebRetriever(engine=engine, pages=pages, domains=domains))
            continue
        if index is None:
            raise BadConfig(f"search={name!r} needs a corpus: name one.")
        corpus: Retriever = open_index(index)
        if domains != Domains():
            corpus = DomainFilter(inner=corpus, domains=domains)
        made.append(corpus)
    return made[0] if len(made) == 1 else CombinedSearch(retrievers=tuple(made))


def make_engine(part: SearchPart, *, web: WebClients) -> SearchEngine:
    """Make the search engine of a part other than a corpus; raises `BadConfig`."""
    if part.kind == "searxng":
        return searxng(part.argument, client=web.client)
    return read_engine(part.argument, folder=web.engines, client=web.client)


class MissingSources(RarrError):
    """A passage without sources in a run that searches nothing else."""


@dataclass(frozen=True, kw_only=True)
class PassageSources:
    """Every document for every query, in order, whatever the limit.

    A passage brings at most a hundred sources: the relevance model ranks all their windows.
    """

    documents: tuple[Document, ...] = ()

    def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]:
        return [self.documents for _ in queries]


@dataclass(frozen=True, kw_only=True)
class DomainFilter:
    """A corpus without the documents of excluded domains."""

    inner: Retriever
    domains: Domains

    def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]:
        results = self.inner.search(queries, limit=limit * _CORPUS_FACTOR)
        return [
            [document for document in documents if self.domains.permits(document.url)][:limit]
            for documents in results
        ]


@dataclass(frozen=True, kw_only=True)
class CombinedSearch:
    """Several searches interleaved by rank, each page once."""

    retrievers: tuple[Retriever, ...]

    def for_work(self, work: WorkContext) -> Self:
        return replace(self, retrievers=tuple(for_work(each, work) for each in self.retrievers))

    def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]:
        """See `ports.Retriever`; raises the first error."""
        # One after the other: a corpus takes milliseconds, and only this thread may use the cache.
        results = [each.search(queries, limit=limit) for each in self.retrievers]
        return [_interleaved(of_query)[:limit] for of_query in zip(*results, strict=True)]


def _interleaved(lists: Sequence[Sequence[Document]]) -> list[Document]:
    unique: dict[str, Document] = {}
    for rank in range(max(map(len, lists), default=0)):
        for documents in lists:
            if rank < len(documents):
                document = documents[rank]
                key = same_page(document.url) if document.url else f"id {document.id}"
                unique.setdefault(key, document)
    return list(unique.values())
