"""Limits on a request's body, checked by the length it announces before any of it is read."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

if TYPE_CHECKING:
    from rarrweb.accounts.models import User

WITHOUT_ACCOUNT = 128 * 1024
"""Bytes that somebody who is not logged in may send: a form's fields."""
FORM_BYTES = 2_500_000
"""Bytes of a form, a small list or a saved answer."""
AROUND_FILES = 1_000_000
"""Bytes of a form's other fields and of the marks between its parts."""

View = TypeVar("View", bound=Callable[..., HttpResponse])


def takes_files(view: View) -> View:
    """Let researchers send this view files, up to `RARR_UPLOAD_MB`."""
    view.takes_files = True  # type: ignore[attr-defined]
    return view


class BodyLimitMiddleware(MiddlewareMixin):
    """Answers 413 to a body that is too large for who sends it and where, and 411 to one of
    unknown length.

    It stands before the CSRF check, which reads forms, and looks when the view and the person
    are known. No body is longer than it announces: server and Django stop reading there.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if "HTTP_TRANSFER_ENCODING" in request.META:
            reason = "The length of the body must be known before it is sent: send Content-Length."
            return HttpResponse(f"{reason}\n", "text/plain; charset=utf-8", 411)
        return None

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], *_: object
    ) -> HttpResponse | None:
        """The refusal, or None to go on."""
        length = request.META.get("CONTENT_LENGTH") or "0"
        size = int(length) if length.isdecimal() else 0  # Django reads nothing then
        if size <= WITHOUT_ACCOUNT:
            return None
        most = limit_of(request, view)
        if size <= most:
            return None
        sizes = {"size": megabytes(size), "most": megabytes(most)}
        return render(request, "413.html", {**sizes, "is_upload": most > FORM_BYTES}, status=413)


def limit_of(request: HttpRequest, view: Callable[..., HttpResponse]) -> int:
    """Bytes that the body of `request` may have, to go to `view`."""
    user = _sender(request)
    if user is None:
        return WITHOUT_ACCOUNT
    is_form = request.content_type == "multipart/form-data"  # all else is read into memory
    if is_form and getattr(view, "takes_files", False) and user.is_researcher:
        return settings.UPLOAD_LIMIT_MB * 1_000_000 + AROUND_FILES
    return FORM_BYTES


def _sender(request: HttpRequest) -> "User | None":
    """Whose session or token the request has. Only views of the API let anybody in by a token."""
    # Here, because the web process reads this module before there are tables.
    from rarrweb.accounts.tokens import bearer_secret, find_token

    if request.user.is_authenticated:
        return request.user
    secret = bearer_secret(request)
    token = find_token(secret) if secret else None
    return token.user if token else None


def megabytes(size: int) -> str:
    """
    >>> megabytes(131_072), megabytes(2_500_000_000)
    ('0.1', '2,500.0')
    """
    return f"{size / 1_000_000:,.1f}"
