"""Evidence retrieval (section 3.1): pages, their windows, and the best ones of each page."""

from collections import Counter
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
    """Return the best snippets of each query, at most `evidence_per_query` of a page, best first.

    Only the first `evidence_per_query` of a query are used (`Revision.used_evidence`). Ties keep
    the order of documents and of their text. Snippets may overlap, as in the paper.
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
        _best(windows, list(islice(scores, len(windows))), per_page=config.evidence_per_query)
        for windows in candidates
    )


def _best(
    windows: Sequence[Evidence], scores: Sequence[float], *, per_page: int
) -> tuple[Evidence, ...]:
    best: dict[tuple[str, str], Evidence] = {}
    of_page: Counter[str] = Counter()
    ranked = sorted(zip(scores, windows, strict=True), key=itemgetter(0), reverse=True)
    for score, window in ranked:
        if window.identity not in best and of_page[window.document_id] < per_page:
            best[window.identity] = replace(window, relevance=score)
            of_page[window.document_id] += 1
    return tuple(best.values())
