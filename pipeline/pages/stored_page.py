"""The page of a revision or of an answer, read from its row."""

import logging
from dataclasses import replace

from pipeline.models import Revision
from pipeline.pages.answer_page import AnswerPage, answer_page
from pipeline.pages.revision_page import RevisionPage, read_page
from pipeline.rarr.systems import UNGATED
from pipeline.rarr.types import Report
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
            found = replace(found, report=Report())  # the page shows no report to point at
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
