"""Stored answers with citations, for scores and files."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from pipeline.importing.alce_answers import AlceAnswer
from pipeline.importing.came_with import numbered_sources
from pipeline.importing.gold import alce_answer
from pipeline.importing.sources import LARGEST, Source, in_places
from pipeline.models import Revision
from pipeline.rarr.types import Evidence
from pipeline.runs.stored_revisions import made_by, read_revision


def cited_answer(row: Revision) -> AlceAnswer:
    """Return the answer of a finished row with its numbered sources.

    Raises `UnreadableResult`.
    """
    source = row.passage.source
    answer = alce_answer(
        question=row.context.strip(),
        output=row.original_text,
        sources=cited_sources(row),
        source=source,
    )
    if row.run.writes_answers or "docs" not in source or "contexts" in source:
        return answer
    # ALCE's own: its documents may have a part that counts in place of their text, and what stands
    # behind the first line of its outputs is none of the answer.
    own = {"docs": source["docs"], "output": row.original_text}
    try:
        return AlceAnswer.model_validate({**answer.model_dump(), **own})
    except ValidationError:
        return answer


def cited_sources(row: Revision) -> tuple[Evidence | Source, ...]:
    """Return the sources by number from 1, empty ones in gaps.

    Raises `UnreadableResult`.
    """
    if row.run.writes_answers:
        return read_revision(row).report.evidence
    came = numbered_sources(row.passage.source)
    return tuple(in_places([each for each in came if 1 <= each.number <= LARGEST]))


def alce_item(row: Revision) -> Mapping[str, Any]:
    """Return an item of ALCE's run output; raises `UnreadableResult`."""
    item = cited_answer(row).model_dump(exclude_none=True)
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
