"""Pages of stored revisions and answers, and progress of trials."""

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
    """Read the page of a revision, or of a trial in progress.

    Returns None if there is no result, or it cannot be read.
    """
    if not row.result or not (row.is_over or row.run.is_trial):
        return None
    try:
        stored = read_revision(row)
        if row.state != row.State.DONE:
            stored = replace(stored, report=types.Report())  # the page has no links to a report
        return read_page(stored, read_scores(row), has_gate=row.run.system not in UNGATED)
    except UnreadableResult as error:
        logger.warning("%s", error)
        return None


def is_answer(revision: Revision) -> bool:
    """Return whether it is a strategy's or a scored imported answer."""
    return revision.run.writes_answers or bool(revision.citation_scores)


def stored_answer(revision: Revision) -> AnswerPage | None:
    """Read the page of a finished answer; None otherwise, or if it cannot be read."""
    if revision.state != Revision.State.DONE or not is_answer(revision):
        return None
    try:
        return answer_page(revision)
    except (UnreadableResult, ValueError, TypeError, KeyError) as error:
        logger.warning("The answer of %s cannot be read: %s", revision, error)
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialStep:
    """A step of a trial; `state` is done, running or waiting."""

    name: str
    state: str
    detail: str = ""


def steps_of(trial: Revision, stored: types.Revision | None) -> list[TrialStep]:
    """Return the steps of a trial, at most one of them running."""
    queries = stored.queries if stored else ()
    evidence = stored.evidence if stored else ()
    trace = stored.trace if stored else ()
    total = sum(max(1, len(each)) for each in evidence)
    disagree = sum(step.agreement is not None and step.agreement.opens_gate for step in trace)
    edits = sum(step.edit_outcome is types.EditOutcome.ACCEPTED for step in trace)
    details = [
        ("Queries", bool(queries), _count(len(queries), "query", "queries")),
        ("Evidence", bool(evidence), _count(sum(map(len, evidence)), "snippet", "snippets")),
        (
            "Agreement and edits",
            bool(trace) and len(trace) >= total,
            f"{len(trace)} of {total} judged, {disagree} disagree{'s' * (disagree == 1)}, "
            f"{_count(edits, 'edit', 'edits')} accepted",
        ),
        ("Report and auto-AIS", False, ""),
    ]
    steps = []
    is_running = trial.state == trial.State.RUNNING and trial.started_at is not None
    for name, is_done, detail in details:
        if is_done or trial.state == trial.State.DONE:
            steps.append(TrialStep(name=name, state="done", detail=detail))
            continue
        is_judging = name.startswith("Agreement") and is_running and total
        state = "running" if is_running else "waiting"
        steps.append(TrialStep(name=name, state=state, detail=detail if is_judging else ""))
        is_running = False
    return steps


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
