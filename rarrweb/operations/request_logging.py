"""The id, log line and duration of every request."""

import logging
import re
import time
import uuid
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject
from django.utils.log import log_response

from rarrweb.log_lines import current, current_request
from rarrweb.operations.metrics import request_seconds

logger = logging.getLogger("rarrweb.requests")

HEADER = "X-Request-ID"
GIVEN = re.compile(r"[0-9A-Za-z-]{8,64}")
"""Ids that a proxy may set; they cannot forge log lines."""
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})


class RequestLogMiddleware:
    """The first middleware; it logs the view, not the path, which may contain a token."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        request_id = given if GIVEN.fullmatch(given) else uuid.uuid4().hex
        if request.path_info in PROBES:
            # Probes use the address of a process, which is not an allowed host.
            request.META["HTTP_HOST"] = settings.PUBLIC_URL.netloc
        ids_before = current.set({"request_id": request_id})
        request_before = current_request.set(request)
        began = time.perf_counter()
        try:
            response = self.get_response(request)
            seconds = time.perf_counter() - began
            current.set({"request_id": request_id, **_person_of(request)})
            self._note(request, response, seconds)
            if response.status_code >= 400:  # Django's line, while the ids are known
                words = response.reason_phrase, request.path
                log_response("%s: %s", *words, response=response, request=request)
        finally:
            current.reset(ids_before)
            current_request.reset(request_before)
        response[HEADER] = request_id
        return response

    def _note(self, request: HttpRequest, response: HttpResponse, seconds: float) -> None:
        match = request.resolver_match
        view = match.view_name if match else ""
        method = request.method if request.method in METHODS else "other"
        request_seconds.labels(view, method, str(response.status_code)).observe(seconds)
        logger.info(
            "%s %s %d",
            method,
            view or "no view",
            response.status_code,
            extra={
                "view": view,
                "method": method,
                "status": response.status_code,
                "ms": round(seconds * 1000, 1),
            },
        )


def _person_of(request: HttpRequest) -> dict[str, str]:
    """Return the user if it is loaded, without a query."""
    user: Any = getattr(request, "user", None)
    if type(user) is SimpleLazyObject:
        user = getattr(request, "_cached_user", None)
    pk = getattr(user, "pk", None)
    return {"person_id": str(pk)} if pk else {}


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
