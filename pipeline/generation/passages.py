"""The passages that an answer may cite.

Search results are cut to passages of 100 words, as ALCE's (section 2).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from pipeline.generation.tools import Tools
from pipeline.generation.types import Question
from pipeline.metrics.answer_recall import exact_recall
from pipeline.metrics.citation_support import Entailments
from pipeline.rarr.checked_calls import entailment_probabilities, score_relevance
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


def recall_at(
    question: Question, passages: tuple[Evidence, ...], *, tools: Tools
) -> dict[int, float]:
    """Return the share of right answers in the n best passages, for `RANKS` reached.

    0.0 without passages; empty if `answers_in` knows none.
    """
    known = answers_in(question, passages, tools=tools)
    if known is None:
        return {}
    recalls = {}
    for rank in RANKS:
        given = frozenset[int]().union(*known[:rank])
        recalls[rank] = len(given) / len(question.short_answers or question.claims)
        if rank >= len(passages):
            break
    return recalls


def answers_in(
    question: Question, passages: Sequence[Evidence], *, tools: Tools
) -> list[frozenset[int]] | None:
    """Return the indices of the short answers in each passage and title, or of entailed claims.

    Claims only with `claim_recall`. None if neither is known.
    """
    texts = [each.titled_text for each in passages]
    if question.short_answers:
        return [
            frozenset(
                index
                for index, aliases in enumerate(question.short_answers)
                if exact_recall(text, [aliases], strict=False)
            )
            for text in texts
        ]
    if not question.claims or tools.config.claim_recall == "off":
        return None
    known = Entailments(partial(entailment_probabilities, entailment=tools.entailment))
    known.ask((text, claim) for text in texts for claim in question.claims)
    return [
        frozenset(
            index for index, claim in enumerate(question.claims) if known.holds((text, claim))
        )
        for text in texts
    ]
