"""Evidence retrieval (section 3.1): pages, their windows, and the best J per query."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from operator import itemgetter

from pipeline.rarr.checked_calls import score_relevance
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Components
from pipeline.rarr.types import Evidence, Query
from pipeline.rarr.windows import slide_windows


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
    split = partial(
        slide_windows,
        splitter=components.splitter,
        sentences=config.window_sentences,
        stride=config.window_stride,
    )
    # A page of several queries is split once.
    pages = dict.fromkeys(chain.from_iterable(results))
    windows_of = {page: list(split(page)) for page in pages}
    candidates = [
        [window for document in documents for window in windows_of[document]]
        for documents in results
    ]
    pairs = [
        (text, window.titled_text)
        for text, windows in zip(texts, candidates, strict=True)
        for window in windows
    ]
    scores = iter(score_relevance(pairs, relevance=components.relevance))
    return tuple(
        _best(text, windows, list(islice(scores, len(windows))), limit=config.evidence_per_query)
        for text, windows in zip(texts, candidates, strict=True)
    )


def _best(
    query: str, windows: Sequence[Evidence], scores: Sequence[float], *, limit: int
) -> tuple[Evidence, ...]:
    best: dict[tuple[str, str], Evidence] = {}
    ranked = sorted(zip(scores, windows, strict=True), key=itemgetter(0), reverse=True)
    for score, window in ranked:
        best.setdefault(window.identity, replace(window, query=query, relevance=score))
        if len(best) == limit:
            break
    return tuple(best.values())
