"""The page that deletes a row."""

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
    """The row cannot be deleted; the message gives the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionPreview:
    lost: tuple[tuple[str, str], ...]
    """Kinds of data that would be lost, each with its amount."""
    refusal: str = ""
    """The reason why it cannot be deleted; "" if it can."""
    needed_by: tuple[models.Model, ...] = ()
    """The first rows that need it; each has a page."""
    is_work: bool = False
    """Work of people would be lost: the name has to be typed."""


def deletion_page(
    request: HttpRequest,
    row: Any,
    preview_of: Callable[[Any], DeletionPreview],
    delete: Callable[[Any], None],
    *,
    export: str = "",
) -> HttpResponse:
    """Preview what would be lost and, after confirmation, `delete` the row."""
    preview, error = preview_of(row), ""
    several = row._meta.verbose_name_plural
    list_address = reverse(f"{row._meta.app_label}:{several}")
    if request.method == "POST":
        name = str(row)
        if preview.is_work and request.POST.get("name", "").strip() != name:
            error = f"Type the name exactly as it is: {name}"
        else:
            try:
                delete(row)
            except (DeletionRefused, ProtectedError) as refusal:
                reason = str(refusal) if isinstance(refusal, DeletionRefused) else "It is needed."
                messages.error(request, f"“{name}” is not deleted. {reason}")
                return redirect(request.get_full_path())
            messages.success(request, f"“{name}” is deleted.")
            return redirect(list_address)
    context = {
        "row": row,
        "preview": preview,
        "list_address": list_address,
        "list_label": several.capitalize(),
        "form_error": error,
        "export": export,
    }
    return render(request, "delete.html", context)
