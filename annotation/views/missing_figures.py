"""The answer in place of a file whose figures are missing."""

from django.http import HttpResponse

from annotation.results.cached_figures import BUSY_SECONDS, Figures


def missing_file(figures: Figures) -> HttpResponse:
    """In place of a file: why there is none, and when to try again."""
    return HttpResponse(
        figures.problem,
        status=503,
        content_type="text/plain; charset=utf-8",
        headers={"Retry-After": str(BUSY_SECONDS)},
    )
