"""Restrict participants' sessions to their study."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

PARTICIPANT = "participant"
"""Session key: the participant's id."""
STUDY = "study"
"""Session key: the campaign's slug."""
QUOTA = "quota"
"""Session key: the number of items to submit."""

EVERY = (
    *("/study/", "/enter/", "/tasks/", "/api/tasks/", "/questions/"),
    *("/static/", "/scripts/", "/texts/", "/healthz", "/readyz"),
)
CLOSED = ("/campaigns/join/",)


class ParticipantMiddleware:
    """Answers 404 to crowd participants outside of their study, also on public pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, *args: object, **values: object
    ) -> HttpResponse | None:
        if PARTICIPANT not in request.session or _is_of_study(request):
            return None
        if request.method in {"GET", "HEAD"} and request.path_info == "/":
            return redirect("annotation:study")
        raise Http404


def _is_of_study(request: HttpRequest) -> bool:
    allowed = (*EVERY, f"/campaigns/{request.session.get(STUDY)}/")
    return request.path_info.startswith(allowed) and not request.path_info.startswith(CLOSED)
