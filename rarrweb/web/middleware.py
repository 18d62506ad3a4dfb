"""Middleware of the whole site."""

import errno
import json
import sqlite3
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.contrib.auth import middleware
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.template import loader
from django.views.defaults import server_error

RETRY_AFTER_SECONDS = 5
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
POSTGRESQL = ("08", "40", "53", "55", "57")
"""SQLSTATE classes: connection, rollback, resources, object state, operator intervention."""
POSTGRESQL_FULL = "53100"


def server_error_or_unavailable(request: HttpRequest) -> HttpResponse:
    if not is_transient_error(sys.exception()):
        return server_error(request)
    # Without the request, as its user is in the database.
    page = loader.render_to_string("503.html")
    return HttpResponse(page, status=503, headers={"Retry-After": str(RETRY_AFTER_SECONDS)})


def is_transient_error(error: BaseException | None) -> bool:
    return is_unreachable(error) or is_full(error)


def is_unreachable(error: BaseException | None) -> bool:
    """Return whether the database cannot be reached, or gave no lock in time."""
    if isinstance(error, InterfaceError):  # the connection was lost before
        return True
    if not isinstance(error, OperationalError):
        return False
    if (code := _sqlite_code(error)) is not None:
        return code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
    state: str | None = getattr(error.__cause__, "sqlstate", "")
    # None: no server answered.
    return state is None or (state.startswith(POSTGRESQL) and state != POSTGRESQL_FULL)


def is_full(error: BaseException | None) -> bool:
    if isinstance(error, OSError):
        return error.errno in DISK_FULL
    if not isinstance(error, OperationalError):
        return False
    state = getattr(error.__cause__, "sqlstate", "")
    return _sqlite_code(error) == sqlite3.SQLITE_FULL or state == POSTGRESQL_FULL


def _sqlite_code(error: OperationalError) -> int | None:
    code: int | None = getattr(error.__cause__, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF  # without the bits of the extended code


class LoginRequiredMiddleware(middleware.LoginRequiredMiddleware):
    """Redirect the page, not its fragment, to the log-in when an htmx session has ended."""

    def handle_no_permission(  # type: ignore[override]  # htmx follows redirects, so a 200
        self, request: HttpRequest, view_func: Callable[..., HttpResponse]
    ) -> HttpResponse:
        if request.headers.get("HX-Request") != "true":
            return super().handle_no_permission(request, view_func)
        page = urlsplit(request.headers.get("HX-Current-URL", ""))
        here = f"{page.path}?{page.query}" if page.query else page.path
        log_in = resolve_url(self.get_login_url(view_func))
        return HttpResponse(headers={"HX-Redirect": f"{log_in}?{urlencode({'next': here or '/'})}"})


def response_defaults(get_response: Callable[[HttpRequest], HttpResponse]) -> Any:
    """Forbid shared caches to store pages, and give errors of the API the format of its views.

    A view that sets Cache-Control keeps it.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Cache-Control", "private")
        status, kind = response.status_code, response.headers.get("Content-Type")
        is_refusal = status >= 400 and request.path_info.startswith("/api/")
        if is_refusal and kind != "application/json":
            error = {"code": "error", "detail": HTTPStatus(status).description, "attr": None}
            side = "server_error" if status >= 500 else "client_error"
            response.content = json.dumps({"type": side, "errors": [error]})
            response.headers["Content-Type"] = "application/json"
            response.headers["Content-Length"] = str(len(response.content))
        return response

    return answer
