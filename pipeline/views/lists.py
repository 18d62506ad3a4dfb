"""Access, lists, archiving and the state of workers."""

from typing import Any

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils import timezone

from pipeline.models import Run, Upload
from pipeline.workers import registry
from rarrweb.accounts.http import UserRequest
from rarrweb.web.listing import Listing
from rarrweb.web.paging import key_of


def researchers_only(request: UserRequest) -> None:
    if not request.user.is_researcher:
        raise Http404


def visible_run(request: UserRequest, run_id: int) -> Run:
    """Return the run for its pages; raises `Http404`."""
    visible = Run.objects.visible_to(request.user).select_related("dataset", "corpus", "created_by")
    return get_object_or_404(visible, pk=run_id)


def worker_state() -> dict[str, Any]:
    """Return the context of `_no_worker.html`."""
    return {"worker_alive": registry.alive().exists(), "worker_command": registry.START_COMMAND}


def collection_list(
    request: UserRequest, listing: Listing, visible: QuerySet[Any], uploads: QuerySet[Upload]
) -> HttpResponse:
    """Render the list of datasets or corpora."""
    if request.method == "POST":
        return archive_selected(request, visible)
    page = listing.read(visible.select_related("created_by"), request.GET)
    has_any = bool(page.page.rows) or visible.exists()
    context = {"list": page, "has_any": has_any, "uploads": uploads}
    return render(request, f"pipeline/{visible.model._meta.verbose_name_plural}.html", context)


# --- Archive and delete ---------------------------------------------------------------------

MOST_SELECTED = 200


def archive_selected(
    request: UserRequest, rows: QuerySet[Any], *, locked: Q | None = None, why: str = ""
) -> HttpResponse:
    """Archive or restore the `row`s of a form, with Undo, except those that match `locked`."""
    keys = [key for key in map(key_of, request.POST.getlist("row")[:MOST_SELECTED]) if key]
    chosen = rows.filter(pk__in=keys)
    back = request.get_full_path()
    if request.POST.get("action") == "unarchive":
        changed = list(chosen.exclude(archived_at=None))
        chosen.update(archived_at=None)
        done, undo = "shown in lists again", "archive"
    else:
        left = list(chosen.filter(archived_at=None).filter(locked)) if locked else []
        changed = list(chosen.filter(archived_at=None).exclude(pk__in=[row.pk for row in left]))
        chosen.filter(pk__in=[row.pk for row in changed]).update(archived_at=timezone.now())
        done, undo = "archived", "unarchive"
        if left:
            messages.warning(request, f"{_named(left)} not archived: {why}")
    if changed:
        undoing = {
            "text": f"{_named(changed)} {done}.",
            "address": back,
            "action": undo,
            "keys": [row.pk for row in changed],
        }
        messages.success(request, render_to_string("_undo.html", undoing, request))
    elif not keys:
        messages.info(request, "Select rows first, then press the button below them.")
    return redirect(back)


def _named(rows: list[Any]) -> str:
    return f"“{rows[0]}” is" if len(rows) == 1 else f"{len(rows)} are"
