"""Errors of the API as RFC 9457 tells them: `application/problem+json`."""

import json
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

PROBLEM_JSON = "application/problem+json"
PUBLIC, INTERNAL = "/api/", "/api/tasks/"
"""The addresses of the API, and among them those of the judging page, whose bodies it knows."""
WITHOUT_DETAIL = {
    400: "The request cannot be read.",
    404: "There is nothing at this address.",
    411: "The length of the body must be known before it is sent: send Content-Length.",
    413: "The body is too large.",
    500: "The server made a mistake; its log tells more.",
    503: "The database is busy: try again.",
}


class Conflict(APIException):
    """What was asked for does not go with the state of things; the detail says why."""

    status_code = 409


class WrongLines(APIException):
    """Rows that cannot be taken in; nothing of the file was written."""

    status_code = 400

    def __init__(self, detail: str, errors: list[dict[str, Any]]) -> None:
        super().__init__(detail)
        self.errors = errors


def problem(status: int, detail: str, errors: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """The body: `errors` says field by field, or line by line, what is wrong."""
    found: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    return found | ({"errors": errors} if errors else {})


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """The exception handler of the API's views; None leaves the error to Django."""
    answer = exception_handler(error, context)
    if answer is None:
        return None
    errors: list[dict[str, Any]] | None = None
    if isinstance(error, ValidationError):
        detail, errors = "Some values cannot be taken.", list(_flat(error.detail))
    else:
        said = answer.data.get("detail") if isinstance(answer.data, dict) else None
        detail = str(said or WITHOUT_DETAIL.get(answer.status_code, ""))
        errors = error.errors if isinstance(error, WrongLines) else None
    answer.data = problem(answer.status_code, detail, errors)
    answer.content_type = PROBLEM_JSON
    return answer


def form_errors(form: forms.Form, *, names: Mapping[str, str] | None = None) -> ValidationError:
    """What a form says is wrong, as the API says it; `names` are other names of its fields."""
    names = names or {}
    return ValidationError(
        {
            names.get(field, "" if field == "__all__" else field): [str(each) for each in said]
            for field, said in form.errors.items()
        }
    )


def _flat(detail: Any, field: str = "") -> Iterator[dict[str, Any]]:
    """Nested errors as a list; a field's name has dots between its parts."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            inner_field = field if name == "non_field_errors" else f"{field}.{name}".strip(".")
            yield from _flat(inner, inner_field)
    elif isinstance(detail, list) and any(isinstance(each, (Mapping, list)) for each in detail):
        for place, inner in enumerate(detail):
            yield from _flat(inner, f"{field}.{place}".strip("."))
    else:
        for each in detail if isinstance(detail, list) else [detail]:
            yield {**({"field": field} if field else {}), "detail": str(each)}


class ProblemMiddleware:
    """Says in JSON, too, what is refused before a view of the API is asked, or after it failed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        status = response.status_code
        if (
            status < 400
            or not request.path_info.startswith(PUBLIC)
            or request.path_info.startswith(INTERNAL)
            or response.headers.get("Content-Type", "").startswith(PROBLEM_JSON)
            or (settings.DEBUG and status == 500)  # the trace is what one wants to see
        ):
            return response
        detail = WITHOUT_DETAIL.get(status, HTTPStatus(status).phrase)
        told = HttpResponse(json.dumps(problem(status, detail)), PROBLEM_JSON, status)
        for name in ("Retry-After", "Allow", "WWW-Authenticate"):
            if name in response.headers:
                told.headers[name] = response.headers[name]
        return told
