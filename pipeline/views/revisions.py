"""Reading what a run made: the list of its revisions, and one revision whole."""

import logging

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from pipeline.models import Revision, Run
from pipeline.rarr.plain import revision_from_plain
from pipeline.revision_list import Narrowing, filter_chips, page_of, walk
from pipeline.revision_page import RevisionPage, read_page
from rarrweb.http import UserRequest

logger = logging.getLogger(__name__)


@require_safe
def run_revisions(request: UserRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(
        Run.objects.visible_to(request.user).select_related("dataset"), pk=run_id
    )
    revisions = Revision.objects.visible_to(request.user).filter(run=run)
    narrowing = Narrowing.from_query(request.GET)
    page = page_of(
        revisions,
        narrowing,
        after=_key(request.GET.get("after")),
        before=_key(request.GET.get("before")),
    )
    return render(
        request,
        "pipeline/revisions.html",
        {
            "run": run,
            "page": page,
            "narrowing": narrowing,
            "chips": filter_chips(revisions, narrowing),
        },
    )


@require_safe
def revision_detail(request: UserRequest, revision_id: int) -> HttpResponse:
    row = get_object_or_404(
        Revision.objects.visible_to(request.user).select_related(
            "run__dataset", "run__corpus", "passage"
        ),
        pk=revision_id,
    )
    narrowing = Narrowing.from_query(request.GET)
    siblings = Revision.objects.visible_to(request.user).filter(run=row.run)
    return render(
        request,
        "pipeline/revision.html",
        {
            "revision": row,
            "run": row.run,
            "entailment": row.run.config.get("entailment", ""),
            "page": _read(row),
            "narrowing": narrowing,
            "walk": walk(siblings, narrowing, row.pk),
        },
    )


def _read(row: Revision) -> RevisionPage | None:
    """What the page shows; None for a revision that is not done or cannot be read."""
    if row.state != Revision.State.DONE:
        return None
    try:
        return read_page(revision_from_plain(row.result), row.sentences)
    except (ValueError, TypeError):
        # A row that a newer or a broken version wrote: the page says so, the texts remain.
        logger.exception("the result of revision %s cannot be read", row.pk)
        return None


def _key(given: str | None) -> int | None:
    """A row's key from an address; anything else is no key."""
    # More digits than a 64-bit key has would overflow in the database.
    return int(given) if given and given.isascii() and given.isdigit() and len(given) < 19 else None
