"""Answers as lines of contexts and of the TREC RAG track: what came so, leaves as it came.

An answer of another format becomes a line with its question, its sources and its text; beside
contexts stays whatever else came with it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.importing import contexts, trec_rag
from pipeline.importing.came_with import LISTS, numbered_sources
from pipeline.importing.sources import Source
from pipeline.metrics.citation_marks import cited, without_citations

Parts = Callable[[str], Sequence[str]]
"""A text to its statements, each with its citations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RagAnswer:
    """An answer with its sources: a passage as it came, or what a run made of it."""

    id: str
    question: str
    text: str
    source: Mapping[str, Any]
    """What came with the passage."""
    run_id: str = ""
    """What wrote it, for TREC's lines; a passage as it came may say so itself."""
    own_sources: Sequence[Source] | None = None
    """What it cites where that is not what came with the passage."""

    @property
    def sources(self) -> Sequence[Source]:
        return numbered_sources(self.source) if self.own_sources is None else self.own_sources


def contexts_line(answer: RagAnswer) -> dict[str, Any]:
    """`{"id", "question", "contexts", "answer"}`, or under the names that the line came with."""
    source = answer.source
    if answer.own_sources is None and contexts.is_line(source):
        names = source[contexts.LINE_NAMES]
        own = {contexts.LINE_NAMES: names["own"]} if "own" in names else {}
        rest = {key: value for key, value in source.items() if key != contexts.LINE_NAMES}
        return {names["question"]: answer.question, names["answer"]: answer.text, **rest, **own}
    return {
        "id": answer.id,
        "question": answer.question,
        "contexts": [_context(each) for each in in_places(answer.sources)],
        "answer": answer.text,
        **_rest(source),
    }


def trec_rag_line(answer: RagAnswer, *, parts: Parts) -> dict[str, Any]:
    """The track's line: as it came where it did and the text is the same, else that of 2024.

    Sources are references by their ids or places, and stand with their texts in `documents`.
    """
    source = answer.source
    if answer.own_sources is None and trec_rag.is_line(source):
        if " ".join(trec_rag.parts_of(source)) == answer.text:
            return dict(source)
        told = {key: value for key, value in source.items() if key != "response_length"}
        answered = [_part(part) for part in parts(answer.text)]
        return {**told, "answer": answered}
    found = [_part(part) for part in parts(answer.text)]
    documents = reference_documents(answer.sources)
    return {
        "run_id": answer.run_id,
        "topic_id": answer.id,
        "topic": answer.question,
        "references": list(documents),
        "response_length": sum(len(part["text"].split()) for part in found),
        "answer": found,
        "documents": documents,
    }


def reference_documents(sources: Sequence[Source]) -> dict[str, dict[str, str]]:
    """The sources by ids of their own, in the places that the numbers of citations say.

    >>> list(reference_documents([Source(number=2, title="Ribble", url="", text="It runs west.")]))
    ['source-1', 'source-2']
    """
    return {
        f"source-{place}": {"title": each.title, "url": each.url, "segment": each.text}
        for place, each in enumerate(in_places(sources), start=1)
    }


def _part(text: str) -> dict[str, Any]:
    places = [number - 1 for number in cited(text) if number]
    return {"text": without_citations(text), "citations": places}


def in_places(sources: Sequence[Source]) -> list[Source]:
    """The sources, each at the place of its number; where a number is left out an empty one."""
    by_number = {each.number: each for each in sources if each.number > 0}
    last = max(by_number, default=0)
    if last > 2 * len(sources) + 100:  # numbers that are no places
        return list(sources)
    empty = (Source(number=number, title="", url="", text="") for number in range(1, last + 1))
    return [by_number.get(each.number, each) for each in empty]


def _context(source: Source) -> str | dict[str, str]:
    told = {"title": source.title, "url": source.url}
    named = {name: value for name, value in told.items() if value}
    return {**named, "text": source.text} if named else source.text


def _rest(source: Mapping[str, Any]) -> dict[str, Any]:
    taken = {
        "id", "question", "contexts", "answer", "documents", contexts.LINE_NAMES, *LISTS
    }  # fmt: skip
    return {key: value for key, value in source.items() if key not in taken}
