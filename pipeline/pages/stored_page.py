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


def stored_page(revision: Revision) -> RevisionPage | None:
    """What the page tells of a result, or of what was tried in vain; None while there is neither,
    or where it cannot be read."""
    is_over = revision.state in {Revision.State.DONE, Revision.State.FAILED}
    if not is_over or not revision.result:
        return None
    try:
        found = read_revision(revision)
        if revision.state == Revision.State.FAILED:
            found = replace(found, report=Report())  # the page shows no report to point at
        has_gate = revision.run.system not in UNGATED
        return read_page(found, read_scores(revision), has_gate=has_gate)
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
