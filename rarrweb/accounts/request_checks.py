"""Checks of requests that would raise errors later, and limits on their bodies."""

import codecs
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import parse_header_parameters

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from rarrweb.accounts.models import User

NUL = "\0"
"""PostgreSQL stores no text with it."""
UNREADABLE = "rarrweb.unreadable"
"""Key in a request's environment: its Content-Type names another charset than UTF-8."""
MAX_ANONYMOUS_BODY = 128 * 1024
MAX_FORM_BODY = 2_500_000
AROUND_FILES = 1_000_000
"""Bytes of a form's other fields and of the boundaries."""

View = TypeVar("View", bound=Callable[..., HttpResponse])


def allow_file_upload(view: View) -> View:
    """Let researchers upload up to `RARR_UPLOAD_MB` to the view."""
    view.allow_file_upload = True  # type: ignore[attr-defined]
    return view


class RequestChecks(MiddlewareMixin):
    """Answer 400 to malformed requests, 411 to bodies of unknown length, 413 to large ones.

    It precedes the CSRF check, which reads forms. Django reads no more than Content-Length.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if UNREADABLE in request.META:
            raise BadRequest("Content-Type names a character set that is not UTF-8")
        query = request.META.get("QUERY_STRING", "")
        if NUL in request.path_info or NUL in query or "%00" in query:
            raise BadRequest("The address has NUL in it")
        _check_headers(request)
        if "HTTP_TRANSFER_ENCODING" in request.META:
            reason = "The length of the body must be known before it is sent: send Content-Length."
            return HttpResponse(f"{reason}\n", "text/plain; charset=utf-8", 411)
        return None

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], *_: object
    ) -> HttpResponse | None:
        length = request.META.get("CONTENT_LENGTH") or "0"
        size = int(length) if length.isdecimal() else 0  # Django reads nothing then
        if size > MAX_ANONYMOUS_BODY and size > (most := limit_of(request, view)):
            sizes = {"size": megabytes(size), "most": megabytes(most)}
            context = {**sizes, "is_upload": most > MAX_FORM_BODY}
            return render(request, "413.html", context, status=413)
        if any(NUL in text for name, texts in request.POST.lists() for text in (name, *texts)):
            raise BadRequest("A field of the form has NUL in it")
        return None


def utf8_only(application: "WSGIApplication") -> "WSGIApplication":
    """Mark requests in other charsets, of which Django would fail before any middleware."""

    def guarded(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        try:
            _, named = parse_header_parameters(environ.get("CONTENT_TYPE", ""))
            is_readable = codecs.lookup(named.get("charset", "utf-8")).name == "utf-8"
        except (LookupError, ValueError):
            is_readable = False
        if not is_readable:
            environ = environ | {"CONTENT_TYPE": "", UNREADABLE: True}
        return application(environ, start_response)

    return guarded


def _check_headers(request: HttpRequest) -> None:
    headers = {name: text for name, text in request.META.items() if name.startswith("HTTP_")}
    for name, text in headers.items():
        if NUL in text or (name.startswith("HTTP_HX_") and NUL in unquote(text)):
            raise BadRequest(f"The header {name} has NUL in it")
    if any(NUL in text for text in request.COOKIES.values()):  # decoded from \000
        raise BadRequest("A cookie has NUL in it")
    here = headers.get("HTTP_HX_CURRENT_URL", "")
    try:
        urlsplit(here), urlsplit(unquote(here))
    except ValueError:
        raise BadRequest("The header HX-Current-URL is no address") from None


def limit_of(request: HttpRequest, view: Callable[..., HttpResponse]) -> int:
    """Return the number of bytes that the sender may send to the view."""
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
