"""Middleware of the whole site."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.contrib.auth import middleware
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url


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
