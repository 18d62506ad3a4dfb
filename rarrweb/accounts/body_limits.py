"""Limits on the Content-Length of requests, checked before the body is read."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

if TYPE_CHECKING:
    from rarrweb.accounts.models import User

MAX_ANONYMOUS_BODY = 128 * 1024
MAX_FORM_BODY = 2_500_000
AROUND_FILES = 1_000_000
"""Bytes of a form's other fields and of the boundaries."""

View = TypeVar("View", bound=Callable[..., HttpResponse])


def allow_file_upload(view: View) -> View:
    """Let researchers upload up to `RARR_UPLOAD_MB` to the view."""
    view.allow_file_upload = True  # type: ignore[attr-defined]
    return view


class BodyLimitMiddleware(MiddlewareMixin):
    """Answer 413 to bodies that are too large, and 411 to bodies of unknown length.

    It precedes the CSRF check, which reads forms. Django reads no more than Content-Length.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if "HTTP_TRANSFER_ENCODING" in request.META:
            reason = "The length of the body must be known before it is sent: send Content-Length."
            return HttpResponse(f"{reason}\n", "text/plain; charset=utf-8", 411)
        return None

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], *_: object
    ) -> HttpResponse | None:
        length = request.META.get("CONTENT_LENGTH") or "0"
        size = int(length) if length.isdecimal() else 0  # Django reads nothing then
        if size <= MAX_ANONYMOUS_BODY:
            return None
        most = limit_of(request, view)
        if size <= most:
            return None
        sizes = {"size": megabytes(size), "most": megabytes(most)}
        return render(request, "413.html", {**sizes, "is_upload": most > MAX_FORM_BODY}, status=413)


def limit_of(request: HttpRequest, view: Callable[..., HttpResponse]) -> int:
    user = _sender(request)
    if user is None:
        return MAX_ANONYMOUS_BODY
    is_form = request.content_type == "multipart/form-data"  # all else is read into memory
    if is_form and getattr(view, "allow_file_upload", False) and user.is_researcher:
        return settings.UPLOAD_LIMIT_MB * 1_000_000 + AROUND_FILES
    return MAX_FORM_BODY


def _sender(request: HttpRequest) -> "User | None":
    # Models cannot be imported with the middleware.
    from rarrweb.accounts.tokens import bearer_secret, find_token

    if request.user.is_authenticated:
        return request.user
    secret = bearer_secret(request)
    token = find_token(secret) if secret else None
    return token.user if token else None


def megabytes(size: int) -> str:
    """Format a number of bytes.

    >>> megabytes(131_072), megabytes(2_500_000_000)
    ('0.1', '2,500.0')
    """
    return f"{size / 1_000_000:,.1f}"
