"""Middleware of the whole site."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url


class PrivateMiddleware:
    """Lets only the person's own browser keep a page that says nothing of caches."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private")
        return response


class HtmxRedirectMiddleware:
    """Sends the whole page to the log-in when a fragment's session has ended.

    A browser follows a redirect of an htmx request by itself, and the log-in form would be
    swapped into the fragment. `HX-Redirect` moves the window instead, and `next` names the
    page the person was on, not the fragment's address.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        log_in = resolve_url(settings.LOGIN_URL)
        target = urlsplit(response.headers.get("Location", ""))
        if (
            request.headers.get("HX-Request") != "true"
            or response.status_code != 302
            or target.path != log_in
            or "next" not in parse_qs(target.query)
        ):
            return response
        page = urlsplit(request.headers.get("HX-Current-URL", ""))
        here = f"{page.path}?{page.query}" if page.query else page.path
        moved = HttpResponse(status=200)
        moved.headers["HX-Redirect"] = f"{log_in}?{urlencode({'next': here or '/'})}"
        return moved
