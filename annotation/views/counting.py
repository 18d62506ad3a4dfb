"""Pages that wait for a figure: what asks whether it is there."""

from typing import Any

from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.results.kept_figures import Shown, are_open
from rarrweb.http import UserRequest

MOST = 50
"""Figures that one page may ask about."""


@require_safe
@never_cache
def counting(request: UserRequest) -> HttpResponse:
    """204 while one of the figures `key` is being counted; then the page is to load again."""
    if are_open(request.GET.getlist("key")[:MOST]):
        return HttpResponse(status=204)
    return HttpResponse(status=204, headers={"HX-Refresh": "true"})


def still_counting(shown: Shown[Any]) -> HttpResponse:
    """In place of a file whose figures are not there yet."""
    return HttpResponse(
        shown.failure or "A worker is counting these figures: try again in a while.",
        status=503,
        content_type="text/plain; charset=utf-8",
        headers={"Retry-After": str(shown.retry_after)},
    )
