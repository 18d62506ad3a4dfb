"""What a participant's session may open: the study, and nothing else."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

PARTICIPANT = "participant"
"""In a session: the participant's id."""
STUDY = "study"
"""In a session: the slug of the campaign that they take part in."""
QUOTA = "quota"
"""In a session: how many items they are to hand in."""

EVERY = (
    *("/study/", "/enter/", "/tasks/", "/api/tasks/", "/questions/"),
    *("/static/", "/scripts/", "/texts/", "/healthz", "/readyz"),
)
CLOSED = ("/campaigns/join/",)


class ParticipantMiddleware:
    """Keeps people of a crowd platform to their study.

    They have accounts, so the site's rules already show them only their campaign. This also shuts
    the pages that are open to everybody: the account page, invitations, pages added later. Only
    their sessions carry the mark, and their accounts have no other way in.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, *args: object, **values: object
    ) -> HttpResponse | None:
        """Before any view: let it run, redirect to the study, or answer 404."""
        if PARTICIPANT not in request.session or _is_of_study(request):
            return None
        if request.method in {"GET", "HEAD"} and request.path_info == "/":
            return redirect("annotation:study")
        raise Http404


def _is_of_study(request: HttpRequest) -> bool:
    own = (*EVERY, f"/campaigns/{request.session.get(STUDY)}/")
    return request.path_info.startswith(own) and not request.path_info.startswith(CLOSED)
