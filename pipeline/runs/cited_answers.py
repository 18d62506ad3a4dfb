"""Stored answers with citations, for scores and files."""

from collections.abc import Mapping
from typing import Any

from pipeline.importing.alce import AlceAnswer, alce_answer
from pipeline.importing.passage import Source
from pipeline.models import Revision
from pipeline.rarr.types import Evidence
from pipeline.runs.stored_revisions import made_by, read_revision

LARGEST_NUMBER = 999
"""A larger number is no citation (`metrics.citation_marks.GROUP`)."""


def cited_answer(row: Revision) -> AlceAnswer:
    """Return a finished row's answer with numbered sources; raises `UnreadableResult`."""
    return alce_answer(
        question=row.context.strip(),
        output=row.original_text,
        sources=cited_sources(row),
        gold=row.passage.source.gold,
        is_alce=row.passage.format == "alce" and not row.run.writes_answers,
    )


def cited_sources(row: Revision) -> tuple[Evidence | Source, ...]:
    """Return the sources by number from 1, empty ones in gaps; raises `UnreadableResult`."""
    if row.run.writes_answers:
        return read_revision(row).report.evidence
    by_number = {
        each.number: each
        for each in row.passage.source.numbered
        if 1 <= each.number <= LARGEST_NUMBER
    }
    numbers = range(1, max(by_number, default=0) + 1)
    return tuple(by_number.get(number) or Source(number=number) for number in numbers)


def alce_item(row: Revision) -> Mapping[str, Any]:
    """Return an item of ALCE's run output; raises `UnreadableResult`."""
    item = cited_answer(row).model_dump(exclude_none=True)
    given = row.passage.source.extra.get("docs")
    imported = {
        str(each.get("text")): each
        for each in (given if isinstance(given, list) else [])
        if isinstance(each, dict)
    }
    item["docs"] = [{**imported.get(doc.get("text"), {}), **doc} for doc in item["docs"]]
    if row.run.writes_answers:
        for doc, source in zip(item["docs"], cited_sources(row), strict=True):
            doc |= {"url": source.url} if source.url else {}
    return {"sample_id": row.passage.external_id, **item}


def answer_row(row: Revision) -> dict[str, Any]:
    """Return the answer for a file; raises `UnreadableResult`."""
    return {
        "id": row.passage.external_id,
        "question": row.context,
        "answer": row.original_text,
        "sources": [
            {"number": number, "title": each.title, "url": each.url, "text": each.text}
            for number, each in enumerate(cited_sources(row), start=1)
        ],
        "scores": row.citation_scores or None,
        "auto_ais": {"score": row.attribution_before, "sentences": row.sentences.get("before")},
        "generation": row.generation or None,
        "usage": row.usage or None,
        "run": made_by(row.run),
    }
