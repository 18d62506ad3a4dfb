"""What passages and runs have to say as lines of contexts and of the TREC RAG track."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django.conf import settings

from pipeline.engine.loading import load_splitter
from pipeline.importing.came_with import units_of
from pipeline.importing.rag_lines import RagAnswer, contexts_line, trec_rag_line
from pipeline.importing.sources import Source
from pipeline.metrics.citation_marks import with_citations
from pipeline.models import Dataset, Passage, Revision
from pipeline.runs.stored_revisions import read_revision


def rag_line(answer: RagAnswer, format: str) -> dict[str, Any]:  # noqa: A002
    """The answer as a line of `contexts` or of `trec_rag`."""
    if format == "contexts":
        return contexts_line(answer)
    return trec_rag_line(answer, parts=partial(_statements, answer.source))


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
    if run.writes_answers or not answer.sources:
        return replace(answer, own_sources=_report(row))
    return answer


def _report(row: Revision) -> list[Source]:
    return [
        Source(number=number, title=each.title, url=each.url, text=each.text)
        for number, each in enumerate(read_revision(row).report.evidence, start=1)
    ]


def _statements(source: Mapping[str, Any], text: str) -> list[str]:
    """The units that came with the text, else its sentences, each with its citations."""
    if units := units_of(source, text):
        return [unit.of(text) for unit in units]
    splitter = load_splitter(settings.RARR_SPACY_MODEL)
    spans = [(each.start, each.end) for each in splitter.split(text)]
    return [text[start:end] for start, end in with_citations(text, spans)]
