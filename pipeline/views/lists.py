"""What the researchers' pages share: who may look, lists, archive and delete, live workers."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.db.models import ProtectedError, Q, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from pipeline.data.deletion import DeletionRefused, Outlook
from pipeline.models import Run, Upload
from pipeline.pages.listing import Listing
from pipeline.pages.paging import key_of
from pipeline.workers import registry
from rarrweb.http import UserRequest
from rarrweb.subqueries import count_of


def researchers_only(request: UserRequest) -> None:
    """Raise `Http404` unless the person is a researcher."""
    if not request.user.is_researcher:
        raise Http404


def visible_run(request: UserRequest, run_id: int) -> Run:
    """The run with what its pages tell beside it; raises `Http404`."""
    visible = Run.objects.visible_to(request.user).select_related("dataset", "corpus", "created_by")
    return get_object_or_404(visible, pk=run_id)


def worker_state() -> dict[str, Any]:
    """What `_no_worker.html` needs."""
    return {"worker_alive": registry.any_alive(), "worker_command": registry.START_COMMAND}


def collection_list(
    request: UserRequest, listing: Listing, visible: QuerySet[Any], uploads: QuerySet[Upload]
) -> HttpResponse:
    """The list of datasets, or of corpora, with how many runs each has."""
    if request.method == "POST":
        return archive_selected(request, visible)
    meta = visible.model._meta
    run_count = count_of(Run.objects.comparable().of_lab(), str(meta.model_name))
    rows = visible.select_related("created_by").annotate(run_count=run_count)
    found = listing.read(rows, request.GET)
    has_any = bool(found.page.rows) or visible.exists()
    context = {"list": found, "has_any": has_any, "uploads": uploads}
    return render(request, f"pipeline/{meta.verbose_name_plural}.html", context)


# --- Archive and delete ---------------------------------------------------------------------

MOST_SELECTED = 200


def archive_selected(
    request: UserRequest, rows: QuerySet[Any], *, busy: Q | None = None, why: str = ""
) -> HttpResponse:
    """Archive the `row`s of a form, or show them again, with an Undo; back to the same list.

    Those of `rows` that are `busy` stay, and the message says `why`.
    """
    keys = [key for key in map(key_of, request.POST.getlist("row")[:MOST_SELECTED]) if key]
    chosen = rows.filter(pk__in=keys)
    back = request.get_full_path()
    if request.POST.get("action") == "unarchive":
        found = list(chosen.exclude(archived_at=None))
        chosen.update(archived_at=None)
        done, undo = "shown in lists again", "archive"
    else:
        left = list(chosen.filter(archived_at=None).filter(busy)) if busy else []
        found = list(chosen.filter(archived_at=None).exclude(pk__in=[row.pk for row in left]))
        chosen.filter(pk__in=[row.pk for row in found]).update(archived_at=timezone.now())
        done, undo = "archived", "unarchive"
        if left:
            messages.warning(request, f"{_named(left)} not archived: {why}")
    if found:
        undoing = {
            "text": f"{_named(found)} {done}.",
            "address": back,
            "action": undo,
            "keys": [row.pk for row in found],
        }
        messages.success(request, render_to_string("_undo.html", undoing, request))
    elif not keys:
        messages.info(request, "Tick the rows first, then press the button below them.")
    return redirect(back)


def _named(rows: list[Any]) -> str:
    """“The name is”, or how many “are”."""
    return f"“{rows[0]}” is" if len(rows) == 1 else f"{len(rows)} are"


def deletion_page(
    request: UserRequest,
    row: Any,
    outlook_of: Callable[[Any], Outlook],
    delete: Callable[[Any], None],
    *,
    export: str = "",
) -> HttpResponse:
    """Say what would be lost and, once the person says so, `delete` the row.

    Where people's work would go, they have to type its name, and are led to the `export` first.
    """
    outlook, error = outlook_of(row), ""
    several = row._meta.verbose_name_plural
    list_address = reverse(f"{row._meta.app_label}:{several}")
    if request.method == "POST":
        name = str(row)
        if outlook.is_work and request.POST.get("name", "").strip() != name:
            error = f"Type the name exactly as it is: {name}"
        else:
            try:
                delete(row)
            except (DeletionRefused, ProtectedError) as refusal:
                said = str(refusal) if isinstance(refusal, DeletionRefused) else "It is needed."
                messages.error(request, f"“{name}” is not deleted. {said}")
                return redirect(request.get_full_path())
            messages.success(request, f"“{name}” is deleted.")
            return redirect(list_address)
    context = {
        "row": row,
        "outlook": outlook,
        "list_address": list_address,
        "list_label": several.capitalize(),
        "form_error": error,
        "export": export,
    }
    return render(request, "delete.html", context)
