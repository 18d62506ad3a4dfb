"""The page of a revision, read from its row."""

import logging
from dataclasses import replace

from pipeline.models import Revision
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
