"""Evidence retrieval (section 3.1): documents, windows, the best J per query."""

from collections.abc import Sequence

from pipeline.rarr.checked_calls import score_relevance
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Components
from pipeline.rarr.types import Document, Evidence, Query, titled
from pipeline.rarr.windows import Window, slide_windows

_Candidate = tuple[Document, Window]


def retrieve(
    queries: Sequence[Query], *, components: Components, config: RarrConfig
) -> tuple[tuple[Evidence, ...], ...]:
    """Return the best `evidence_per_query` snippets of each query, best first, perhaps none.

    Ties keep the order of documents, then of the page. Snippets may overlap, as in the paper.
    """
    if not queries:
        return ()
    texts = [query.text for query in queries]
    results = components.retriever.search(texts, limit=config.documents_per_query)
    if len(results) != len(queries):
        raise UnreadableReply(f"The search answered {len(results)} of {len(queries)} queries.")

    pages: dict[Document, list[_Candidate]] = {}
    candidates: list[list[_Candidate]] = []
    for documents in results:
        candidates.append([])
        for document in documents[: config.documents_per_query]:
            if document not in pages:
                windows = slide_windows(
                    document,
                    splitter=components.splitter,
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
    scores = iter(score_relevance(pairs, relevance=components.relevance))
    return tuple(
        _best(query, of_query, [next(scores) for _ in of_query], limit=config.evidence_per_query)
        for query, of_query in zip(texts, candidates, strict=True)
    )


def _best(
    query: str, candidates: Sequence[_Candidate], scores: Sequence[float], *, limit: int
) -> tuple[Evidence, ...]:
    ranked = sorted(range(len(candidates)), key=lambda index: -scores[index])
    best: dict[tuple[str, str], Evidence] = {}
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
        best.setdefault(snippet.identity, snippet)
        if len(best) == limit:
            break
    return tuple(best.values())
