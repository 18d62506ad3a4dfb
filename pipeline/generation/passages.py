"""The passages that an answer may cite: those that came with the question, or the best found.

ALCE searches passages of 100 words (section 2); documents are cut to that length here.
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
"""Recall is told for so many best passages, as far as there are any."""


def find_passages(question: Question, *, tools: Tools) -> tuple[Evidence, ...]:
    """The best `retrieved` passages for the question, best first.

    Without a retriever they are the question's own, in the order they came in: a dataset's
    `docs` are ranked already. Raises what the search and the relevance model raise.
    """
    if tools.retriever is None:
        return question.sources[: tools.config.retrieved]
    return search_passages(question.text, tools=tools)


def search_passages(query: str, *, tools: Tools) -> tuple[Evidence, ...]:
    """The best `retrieved` passages of `passage_words` words for any query, each once."""
    if tools.retriever is None:
        return ()
    config = tools.config
    (documents,) = tools.retriever.search([query], limit=config.documents) or ((),)
    found = [
        each for document in documents for each in cut(document, query, words=config.passage_words)
    ]
    scores = score_relevance([(query, each.titled) for each in found], relevance=tools.relevance)
    # Python's sort is stable: equal scores keep the search's order.
    ranked = sorted(zip(scores, found, strict=True), key=lambda each: -each[0])
    best = distinct([[replace(each, relevance=score)] for score, each in ranked])
    return best[: config.retrieved]


def cut(document: Document, query: str, *, words: int) -> Iterator[Evidence]:
    """A document in stretches of so many words; none crosses a heading, the last may be short."""
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
    """The share of the short answers that stand in the best passages, for `RANKS`.

    Without a passage the first share is 0.0. Empty where nobody knows the short answers.
    """
    if not question.short_answers:
        return {}
    known = [answers_in(each, question) for each in passages]
    found = {}
    for rank in RANKS:
        given = frozenset[int]().union(*known[:rank])
        found[rank] = len(given) / len(question.short_answers)
        if rank >= len(passages):
            break
    return found


def answers_in(passage: Evidence, question: Question) -> frozenset[int]:
    """The places of those short answers that stand in the passage or its title."""
    text = passage.titled
    return frozenset(
        place
        for place, aliases in enumerate(question.short_answers)
        if exact_recall(text, [aliases], strict=False)
    )
