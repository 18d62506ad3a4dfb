"""The passages that an answer may cite.

Search results are cut to passages of 100 words, as ALCE's (section 2).
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from pipeline.generation.tools import Tools
from pipeline.generation.types import Question
from pipeline.metrics.answer_recall import exact_recall
from pipeline.rarr.checked_calls import score_relevance
from pipeline.rarr.types import Document, Evidence, distinct
from pipeline.rarr.windows import sections

_WORD = re.compile(r"\S+")
RANKS = (1, 5, 20, 100)
"""Recall is measured in so many best passages."""


def find_passages(question: Question, *, tools: Tools) -> tuple[Evidence, ...]:
    """Return the best `retrieved` passages; without a retriever the question's own."""
    if tools.retriever is None:
        return question.sources[: tools.config.retrieved]
    return search_passages(question.text, tools=tools)


def search_passages(query: str, *, tools: Tools) -> tuple[Evidence, ...]:
    """Return the best `retrieved` distinct passages for a query."""
    if tools.retriever is None:
        return ()
    config = tools.config
    (documents,) = tools.retriever.search([query], limit=config.documents) or ((),)
    passages = [
        each for document in documents for each in cut(document, query, words=config.passage_words)
    ]
    scores = score_relevance(
        [(query, each.titled_text) for each in passages], relevance=tools.relevance
    )
    ranked = sorted(zip(scores, passages, strict=True), key=lambda each: -each[0])
    best = distinct([[replace(each, relevance=score)] for score, each in ranked])
    return best[: config.retrieved]


def cut(document: Document, query: str, *, words: int) -> Iterator[Evidence]:
    """Cut a document into passages of `words` words; none crosses a heading."""
    for heading, section in sections(document.text):
        bounds = [each.span() for each in _WORD.finditer(document.text, section.start, section.end)]
        for first in range(0, len(bounds), words):
            some = bounds[first : first + words]
            yield Evidence(
                text=document.text[some[0][0] : some[-1][1]],
                title=document.title,
                url=document.url,
                document_id=document.id,
                query=query,
                relevance=0.0,
                heading=heading,
                start=some[0][0],
            )


def recall_at(question: Question, passages: tuple[Evidence, ...]) -> dict[int, float]:
    """Return the share of short answers in the n best passages, for `RANKS` reached.

    0.0 without passages; empty without known short answers.
    """
    if not question.short_answers:
        return {}
    known = [answers_in(each, question) for each in passages]
    recalls = {}
    for rank in RANKS:
        given = frozenset[int]().union(*known[:rank])
        recalls[rank] = len(given) / len(question.short_answers)
        if rank >= len(passages):
            break
    return recalls


def answers_in(passage: Evidence, question: Question) -> frozenset[int]:
    """Return the indices of the short answers in passage and title."""
    text = passage.titled_text
    return frozenset(
        index
        for index, aliases in enumerate(question.short_answers)
        if exact_recall(text, [aliases], strict=False)
    )
