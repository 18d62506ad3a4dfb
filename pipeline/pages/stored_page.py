"""The page of a revision or of an answer, read from its row; how far a trial has come."""

import logging
from dataclasses import dataclass, replace

from pipeline.models import Revision
from pipeline.pages.answer_page import AnswerPage, answer_page
from pipeline.pages.revision_page import RevisionPage, read_page
from pipeline.rarr import types
from pipeline.rarr.systems import UNGATED
from pipeline.runs.stored_revisions import UnreadableResult, read_revision, read_scores

logger = logging.getLogger(__name__)


def stored_page(row: Revision) -> RevisionPage | None:
    """What the page tells of a result, of what was tried in vain, or of a trial as far as it has
    come; None while there is nothing, or where it cannot be read."""
    if not row.result or not (row.is_over or row.run.is_trial):
        return None
    try:
        found = read_revision(row)
        if row.state != row.State.DONE:
            found = replace(found, report=types.Report())  # the page shows no report to point at
        return read_page(found, read_scores(row), has_gate=row.run.system not in UNGATED)
    except UnreadableResult as error:
        # The page says so and shows the texts, which are columns of their own.
        logger.warning("%s", error)
        return None


def is_answer(revision: Revision) -> bool:
    """Whether the row is to be read as an answer with citations: a strategy wrote it, or it came
    in a file and its citations are scored."""
    return revision.run.writes_answers or bool(revision.citation_scores)


def stored_answer(revision: Revision) -> AnswerPage | None:
    """What the page tells of a finished answer; None for other rows, or where it cannot be read."""
    if revision.state != Revision.State.DONE or not is_answer(revision):
        return None
    try:
        return answer_page(revision)
    except (UnreadableResult, ValueError, TypeError, KeyError) as error:
        logger.warning("The answer of %s cannot be read: %s", revision, error)
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step; `state` is done, running or waiting."""

    name: str
    state: str
    says: str = ""


def steps_of(trial: Revision, found: types.Revision | None) -> list[Step]:
    """The steps of a trial in their order, of which one is in work."""
    asked = found.queries if found else ()
    snippets = sum(map(len, found.evidence)) if found else 0
    turns = found.trace if found else ()
    wanted = sum(max(1, len(each)) for each in found.evidence) if found else 0
    judged = [turn.agreement for turn in turns if turn.agreement]
    disagree = sum(verdict.is_open for verdict in judged)
    kept = sum(turn.edit_outcome is types.EditOutcome.KEPT for turn in turns)
    told = [
        ("Queries", bool(asked), _count(len(asked), "query", "queries")),
        ("Evidence", bool(found and found.evidence), _count(snippets, "snippet", "snippets")),
        (
            "Agreement and edits",
            bool(turns) and len(turns) >= wanted,
            f"{len(turns)} of {wanted} judged, {disagree} disagree{'s' * (disagree == 1)}, "
            f"{_count(kept, 'edit', 'edits')} kept",
        ),
        ("Report and auto-AIS", False, ""),
    ]
    if trial.state == trial.State.DONE:
        return [Step(name=name, state="done", says=says) for name, _, says in told]
    steps = []
    is_at_work = trial.state == trial.State.RUNNING and trial.started_at is not None
    for name, is_done, says in told:
        if is_done:
            steps.append(Step(name=name, state="done", says=says))
            continue
        said = says if name.startswith("Agreement") and is_at_work and wanted else ""
        steps.append(Step(name=name, state="running" if is_at_work else "waiting", says=said))
        is_at_work = False
    return steps


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
