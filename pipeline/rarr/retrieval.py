"""Evidence retrieval (section 3.1): pages, their windows, and the best J of them per query."""

from collections.abc import Sequence
from itertools import chain, islice
from operator import itemgetter

from pipeline.rarr.checked_calls import score_relevance
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Components
from pipeline.rarr.types import Evidence, Query, with_title
from pipeline.rarr.windows import Window, slide_windows


def retrieve(
    queries: Sequence[Query], *, components: Components, config: RarrConfig
) -> tuple[tuple[Evidence, ...], ...]:
    """Return the best snippets of each query, at most `evidence_per_query`, best first.

    Ties go by the order of documents, then of text. Snippets may overlap, as in the paper.
    """
    if not queries:
        return ()
    texts = [query.text for query in queries]
    results = components.retriever.search(texts, limit=config.documents_per_query)
    if len(results) != len(queries):
        raise UnreadableReply(f"The search answered {len(results)} of {len(queries)} queries.")

    results = [documents[: config.documents_per_query] for documents in results]
    windows_of = {
        document: slide_windows(
            document,
            splitter=components.splitter,
            sentences=config.window_sentences,
            stride=config.window_stride,
        )
        for document in dict.fromkeys(chain.from_iterable(results))
    }
    candidates = [
        [window for document in documents for window in windows_of[document]]
        for documents in results
    ]
    pairs = [
        (text, with_title(window.text, title=window.document.title))
        for text, windows in zip(texts, candidates, strict=True)
        for window in windows
    ]
    scores = iter(score_relevance(pairs, relevance=components.relevance))
    return tuple(
        _best(text, windows, list(islice(scores, len(windows))), limit=config.evidence_per_query)
        for text, windows in zip(texts, candidates, strict=True)
    )


def _best(
    query: str, windows: Sequence[Window], scores: Sequence[float], *, limit: int
) -> tuple[Evidence, ...]:
    best: dict[tuple[str, str], Evidence] = {}
    ranked = sorted(zip(scores, windows, strict=True), key=itemgetter(0), reverse=True)
    for score, window in ranked:
        snippet = Evidence(
            text=window.text,
            title=window.document.title,
            url=window.document.url,
            document_id=window.document.id,
            query=query,
            relevance=score,
            heading=window.heading,
            start=window.start,
            sentences=window.sentences,
        )
        best.setdefault(snippet.identity, snippet)
        if len(best) == limit:
            break
    return tuple(best.values())
