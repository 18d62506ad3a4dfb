"""Research stage, evidence retrieval (section 3.1): documents, windows, the best J a query."""

from collections.abc import Sequence

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.model_answers import score_relevance
from pipeline.rarr.ports import Relevance, Retriever, SentenceSplitter
from pipeline.rarr.types import Document, Evidence, Query, titled
from pipeline.rarr.windows import Window, slide_windows

_Candidate = tuple[Document, Window]
"""A window that may become evidence, with its page."""


def retrieve(
    queries: Sequence[Query],
    *,
    retriever: Retriever,
    relevance: Relevance,
    splitter: SentenceSplitter,
    config: RarrConfig,
) -> tuple[tuple[Evidence, ...], ...]:
    """For each query its best `evidence_per_query` snippets, best first; maybe none.

    All queries are searched at once, and all (query, window) pairs scored in one batch.
    Equal scores keep the search's order of documents, then the page's order. With J > 1 two
    snippets of a page may share sentences, as in the paper; only the same snippet found twice
    is kept once.
    """
    if not queries:
        return ()
    texts = [query.text for query in queries]
    found = retriever.search(texts, limit=config.documents_per_query)
    if len(found) != len(queries):
        raise UnreadableReply(f"The search answered {len(found)} of {len(queries)} queries.")

    pages: dict[Document, list[_Candidate]] = {}
    candidates: list[list[_Candidate]] = []
    for documents in found:
        candidates.append([])
        for document in documents[: config.documents_per_query]:
            if document not in pages:
                windows = slide_windows(
                    document,
                    splitter=splitter,
                    sentences=config.window_sentences,
                    stride=config.window_stride,
                )
                pages[document] = [(document, window) for window in windows]
            candidates[-1] += pages[document]

    pairs = [
        (query, titled(title=document.title, text=window.text))
        for query, of_query in zip(texts, candidates, strict=True)
        for document, window in of_query
    ]
    scores = iter(score_relevance(pairs, relevance=relevance))
    return tuple(
        _best(query, of_query, [next(scores) for _ in of_query], limit=config.evidence_per_query)
        for query, of_query in zip(texts, candidates, strict=True)
    )


def _best(
    query: str, candidates: Sequence[_Candidate], scores: Sequence[float], *, limit: int
) -> tuple[Evidence, ...]:
    # Python's sort is stable: equal scores keep their order.
    ranked = sorted(range(len(candidates)), key=lambda index: -scores[index])
    kept: dict[tuple[str, str], Evidence] = {}
    for index in ranked:
        document, window = candidates[index]
        snippet = Evidence(
            text=window.text,
            title=document.title,
            url=document.url,
            document_id=document.id,
            query=query,
            relevance=scores[index],
            heading=window.heading,
            start=window.start,
            sentences=window.sentences,
        )
        kept.setdefault(snippet.identity, snippet)
        if len(kept) == limit:
            break
    return tuple(kept.values())
