"""Passages and runs as lines of contexts and of the TREC RAG track: what came so leaves so.

An answer of another format becomes a line with its question, its sources and its text; beside
contexts stays whatever else came with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings

from pipeline.engine.loading import load_splitter
from pipeline.importing import contexts, trec_rag
from pipeline.importing.came_with import LISTS, numbered_sources, told_units, units_of
from pipeline.importing.sources import Source, in_places
from pipeline.metrics.citation_marks import cited, with_citations, without_citations
from pipeline.models import Dataset, Passage, Revision
from pipeline.runs.stored_revisions import read_revision


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


def answer_of_passage(passage: Passage, dataset: Dataset) -> RagAnswer:
    return RagAnswer(
        id=passage.external_id,
        question=passage.context,
        text=passage.text,
        source=passage.source,
        run_id=dataset.slug,
    )


def answer_of_row(row: Revision) -> RagAnswer:
    """What a run made: the revised text beside the sources that came with the passage, or beside
    the report where none did; an answer of a strategy beside the report, which it cites.

    Raises `UnreadableResult`.
    """
    run = row.run
    answer = RagAnswer(
        id=row.passage.external_id,
        question=row.context,
        text=row.text if row.text.strip() else row.original_text,
        source=row.passage.source,
        run_id=f"{run.dataset.slug}-{run.system}-{run.pk}",
    )
    if answer.sources and not run.writes_answers:
        return answer
    report = [
        Source(number=number, title=each.title, url=each.url, text=each.text)
        for number, each in enumerate(read_revision(row).report.evidence, start=1)
    ]
    return replace(answer, own_sources=report)


def rag_line(answer: RagAnswer, format: str) -> dict[str, Any]:  # noqa: A002
    """The answer as a line of `contexts` or of `trec_rag`."""
    return _contexts_line(answer) if format == "contexts" else _trec_rag_line(answer)


def _contexts_line(answer: RagAnswer) -> dict[str, Any]:
    """`{"id", "question", "contexts", "answer"}`, or under the names that the line came with."""
    source = answer.source
    if answer.own_sources is None and contexts.is_line(source):
        names = source[contexts.LINE_NAMES]
        own = {contexts.LINE_NAMES: names["own"]} if "own" in names else {}
        rest = {key: value for key, value in source.items() if key != contexts.LINE_NAMES}
        return {names["question"]: answer.question, names["answer"]: answer.text, **rest, **own}
    line = {
        "id": answer.id,
        "question": answer.question,
        "contexts": [_context(each) for each in in_places(answer.sources)],
        "answer": answer.text,
    }
    taken = {*line, *LISTS, "documents", contexts.LINE_NAMES}
    return line | {key: value for key, value in source.items() if key not in taken}


def _context(source: Source) -> str | dict[str, str]:
    told = {"title": source.title, "url": source.url}
    named = {name: value for name, value in told.items() if value}
    return {**named, "text": source.text} if named else source.text


def _trec_rag_line(answer: RagAnswer) -> dict[str, Any]:
    """The track's line: as it came where it did and the text is the same, else that of 2024.

    Sources are references by their ids or places, and stand with their texts in `documents`.
    """
    source = answer.source
    came = answer.own_sources is None and trec_rag.is_line(source)
    if came and " ".join(told_units(source)) == answer.text:
        return dict(source)
    parts = [
        {
            "text": without_citations(text),
            "citations": [number - 1 for number in cited(text) if number],
        }
        for text in _statements(source, answer.text)
    ]
    if came:
        told = {key: value for key, value in source.items() if key != "response_length"}
        return {**told, "answer": parts}
    documents = {
        f"source-{place}": {"title": each.title, "url": each.url, "segment": each.text}
        for place, each in enumerate(in_places(answer.sources), start=1)
    }
    return {
        "run_id": answer.run_id,
        "topic_id": answer.id,
        "topic": answer.question,
        "references": list(documents),
        "response_length": sum(len(str(part["text"]).split()) for part in parts),
        "answer": parts,
        "documents": documents,
    }


def _statements(source: Mapping[str, Any], text: str) -> list[str]:
    """The units that came with the text, else its sentences, each with its citations."""
    if units := units_of(source, text):
        return [unit.of(text) for unit in units]
    splitter = load_splitter(settings.RARR_SPACY_MODEL)
    spans = [(each.start, each.end) for each in splitter.split(text)]
    return [text[start:end] for start, end in with_citations(text, spans)]
