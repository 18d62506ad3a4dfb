"""Finished revisions as rows and as lines of files."""

from typing import Any, TypeVar

from pipeline import models
from pipeline.engine.answer_scores import AnswerScores
from pipeline.engine.auto_ais import (
    Scores,
    sentence_codes,
    sentences_from_plain,
    sentences_to_plain,
)
from pipeline.engine.cost import Usage
from pipeline.engine.engine import Outcome
from pipeline.engine.scorer_info import run_scorer
from pipeline.files.rarr_jsonl import result_of
from pipeline.rarr.errors import RarrError
from pipeline.rarr.serialization import from_plain, to_plain
from pipeline.rarr.types import EditOutcome, Revision

T = TypeVar("T")


class UnreadableResult(RarrError):
    """This version cannot read the result in a row."""


def columns_of(outcome: Outcome) -> dict[str, Any]:
    """Return the columns of a result, without the calls."""
    revised = outcome.revision
    outcomes = [step.edit_outcome for step in revised.trace]
    columns = {
        "text": revised.text,
        "result": to_plain(revised),
        "usage": to_plain(outcome.usage),
        "is_changed": revised.is_changed,
        "edits_accepted": outcomes.count(EditOutcome.ACCEPTED),
        "edits_rejected": sum(kind.is_rejection for kind in outcomes),
        "error_count": len(revised.errors) + sum(step.error is not None for step in revised.trace),
        **columns_of_scores(outcome.scores),
        **(columns_of_answer_scores(outcome.answer_scores) if outcome.answer_scores else {}),
    }
    if answer := outcome.answer:
        columns |= {"original_text": answer.text, "text": ""}
        columns |= {"generation": to_plain(answer.record)}
    return columns


def columns_of_answer_scores(scores: AnswerScores) -> dict[str, Any]:
    return {
        "citation_scores": scores.to_plain(),
        "citation_recall": scores.corrected["citation_rec"],
        "citation_precision": scores.corrected["citation_prec"],
        "correctness": scores.correctness,
    }


def columns_of_scores(scores: Scores) -> dict[str, Any]:
    return {
        "sentences": sentences_to_plain(scores),
        "marks": sentence_codes(scores.after),
        "attribution_before": scores.attribution_before,
        "attribution_after": scores.attribution_after,
        "attribution_restrictive": scores.restrictive_after,
        "preservation": scores.preservation,
        "f1_ap": scores.f1_ap,
    }


def read_revision(row: models.Revision) -> Revision:
    """Read y, A and the trace of a finished row; raises `UnreadableResult`."""
    return _read(Revision, row.result, f"The result of {row}")


def read_scores(row: models.Revision) -> Scores:
    """Read the figures and sentences of a finished row; raises `UnreadableResult`."""
    try:
        before = sentences_from_plain(row.sentences, "before")
        after = sentences_from_plain(row.sentences, "after")
    except (TypeError, AttributeError) as error:
        raise UnreadableResult(f"The sentences of {row} cannot be read: {error}") from None
    return Scores(
        before=before,
        after=after,
        attribution_before=row.attribution_before,
        attribution_after=row.attribution_after,
        preservation=row.preservation,
        f1_ap=row.f1_ap,
    )


def public_row(row: models.Revision) -> dict[str, Any]:
    """Return the line of the `revise` command; raises `UnreadableResult`."""
    return {
        "id": row.passage.external_id,
        "text": row.original_text,
        "context": row.context,
        "result": result_of(
            read_revision(row),
            scores=read_scores(row),
            usage=_read(Usage, row.usage, f"The usage of revision {row.pk}"),
            has_context=bool(row.context),
        ),
        "run": made_by(row.run),
    }


def made_by(run: models.Run) -> dict[str, Any]:
    by = run_scorer(run.config, run.versions)
    return {
        "id": run.pk,
        "system": run.system,
        "dataset": run.dataset.slug,
        "corpus": run.corpus.slug if run.corpus else None,
        "config": run.config,
        "versions": run.versions,
        "auto_ais": by.to_plain() if by else None,
    }


def _read(kind: type[T], plain: Any, what: str) -> T:
    try:
        return from_plain(kind, plain)
    except ValueError as error:
        raise UnreadableResult(f"{what} cannot be read: {error}") from None
