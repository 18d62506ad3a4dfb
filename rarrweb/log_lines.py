"""Log lines: text or JSON, with the ids of the request or task."""

import logging
from collections.abc import Mapping
from contextvars import ContextVar
from http.client import responses
from types import MappingProxyType

from django.http import HttpRequest
from pythonjsonlogger.json import JsonFormatter

current: ContextVar[Mapping[str, str]] = ContextVar("current", default=MappingProxyType({}))
"""`request_id`, `person_id`, `task_id` and `task` of this thread's work, as far as known."""
current_request: ContextVar[HttpRequest | None] = ContextVar("current request", default=None)
WITH_PATHS = ("Invalid request", "Error handling request")
"""Beginnings of gunicorn's records that contain the path of a request."""


class WithIds(logging.Filter):
    """Add `current` to every record, also as the text `ids`."""

    def filter(self, record: logging.LogRecord) -> bool:
        ids = current.get()
        record.ids = "".join(
            f" [{name.removesuffix('_id')} {ids[name]}]"
            for name in ("request_id", "person_id", "task_id")
            if name in ids
        )
        for name, value in ids.items():
            setattr(record, name, value)
        return True


class RouteOnly(logging.Filter):
    """Log the route of a request instead of its path, which may contain a token."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = record.__dict__.pop("request", None)
        if isinstance(request, HttpRequest):
            match = request.resolver_match
            status = record.__dict__.get("status_code", 0)
            record.msg, record.args = (
                "%s: %s",
                (responses.get(status, str(status)), match.view_name if match else "no view"),
            )
        elif record.name == "gunicorn.error" and str(record.msg).startswith(WITH_PATHS):
            record.msg, record.args = record.msg.partition("%")[0].rstrip(" :"), ()
        return True


class TextLines(logging.Formatter):
    """A record as one line; further lines are indented, so that none can pose as a record."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}:{ids} {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        return "\n    ".join(super().format(record).splitlines())


class JsonLines(JsonFormatter):
    """A record as a JSON object: time, level, logger, process, message, ids, traceback."""

    def __init__(self) -> None:
        super().__init__(
            "{levelname}{name}{process}{message}",
            style="{",
            timestamp="time",
            rename_fields={"levelname": "level", "name": "logger"},
            reserved_attrs=[*logging.makeLogRecord({}).__dict__, "message", "asctime", "ids"],
            json_ensure_ascii=False,
        )
