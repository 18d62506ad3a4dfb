"""Checks of requests that would raise errors later, such as NUL in PostgreSQL."""

import codecs
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from django.core.exceptions import BadRequest
from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import parse_header_parameters

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

NUL = "\0"
UNREADABLE = "rarrweb.unreadable"
"""Key in a request's environment: its Content-Type names another charset than UTF-8."""


class RejectMalformedRequests(MiddlewareMixin):
    def process_request(self, request: HttpRequest) -> None:
        if UNREADABLE in request.META:
            raise BadRequest("Content-Type names a character set that is not UTF-8")
        query = request.META.get("QUERY_STRING", "")
        if NUL in request.path_info or NUL in query or "%00" in query:
            raise BadRequest("The address has NUL in it")
        _check_headers(request)


class RejectMalformedForms(MiddlewareMixin):
    """Refuse NUL in a form's fields, after the log-in and CSRF checks."""

    def process_view(self, request: HttpRequest, *args: object, **values: object) -> None:
        if any(NUL in text for name, texts in request.POST.lists() for text in (name, *texts)):
            raise BadRequest("A field of the form has NUL in it")


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
