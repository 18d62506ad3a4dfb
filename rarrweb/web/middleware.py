"""Middleware of the whole site."""

from urllib.parse import parse_qs, urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils.deprecation import MiddlewareMixin


class PrivateMiddleware(MiddlewareMixin):
    """Forbid shared caches to store pages, unless a view sets Cache-Control."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response.headers.setdefault("Cache-Control", "private")
        return response


class HtmxRedirectMiddleware(MiddlewareMixin):
    """Redirect the page, not its fragment, to the log-in when an htmx session has ended."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
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
