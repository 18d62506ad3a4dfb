"""Evidence retrieval (section 3.1): pages, their windows, and the best J per query."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from operator import itemgetter

from pipeline.rarr.checked_calls import score_relevance
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Components
from pipeline.rarr.types import Document, Evidence, Query
from pipeline.rarr.windows import slide_windows


def retrieve(
    queries: Sequence[Query], *, components: Components, config: RarrConfig
) -> tuple[tuple[Evidence, ...], ...]:
    """Return the best snippets of each query, at most `evidence_per_query`, best first.

    Ties keep the order of documents and of their text. Snippets may overlap, as in the paper.
    """
    if not queries:
        return ()
    results = components.retriever.search(
        [query.text for query in queries], limit=config.documents_per_query
    )
    if len(results) != len(queries):
        raise UnreadableReply(f"The search answered {len(results)} of {len(queries)} queries.")

    @cache  # splits a document of several queries once
    def windows_of(document: Document) -> list[Evidence]:
        splitter, size = components.splitter, config.window_sentences
        return list(
            slide_windows(document, splitter=splitter, size=size, stride=config.window_stride)
        )

    candidates = [
        [
            replace(window, query=query.text)
            for document in documents[: config.documents_per_query]
            for window in windows_of(document)
        ]
        for query, documents in zip(queries, results, strict=True)
    ]
    pairs = [(window.query, window.titled_text) for windows in candidates for window in windows]
    scores = iter(score_relevance(pairs, relevance=components.relevance))
    return tuple(
        _best(windows, list(islice(scores, len(windows))), limit=config.evidence_per_query)
        for windows in candidates
    )


def _best(
    windows: Sequence[Evidence], scores: Sequence[float], *, limit: int
) -> tuple[Evidence, ...]:
    best: dict[tuple[str, str], Evidence] = {}
    ranked = sorted(zip(scores, windows, strict=True), key=itemgetter(0), reverse=True)
    for score, window in ranked:
        best.setdefault(window.identity, replace(window, relevance=score))
        if len(best) == limit:
            break
    return tuple(best.values())
