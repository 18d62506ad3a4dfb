"""The page that deletes a row for good."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import models
from django.db.models import ProtectedError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse


class DeletionRefused(Exception):
    """Something stands in the way; the message says what, in plain sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What deleting a row would mean."""

    lost: tuple[tuple[str, str], ...]
    """What would be gone with it, and how much of it."""
    refusal: str = ""
    """Why it cannot be deleted now; "" where it can."""
    needed_by: tuple[models.Model, ...] = ()
    """The first rows that need it; each has a page of its own."""
    is_work: bool = False
    """Whether what people did by hand would be lost: then the name has to be typed."""


def deletion_page(
    request: HttpRequest,
    row: Any,
    preview_draft: Callable[[Any], Outlook],
    delete: Callable[[Any], None],
    *,
    export: str = "",
) -> HttpResponse:
    """Say what would be lost and, once the person says so, `delete` the row.

    Where people's work would go, they have to type its name, and are led to the `export` first.
    """
    outlook, error = preview_draft(row), ""
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
