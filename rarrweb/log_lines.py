"""The lines of the log: text or JSON, with the ids of the request or task, without secrets."""

import json
import logging
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from pythonjsonlogger.json import JsonFormatter

current: ContextVar[Mapping[str, str]] = ContextVar("current", default=MappingProxyType({}))
"""`request_id`, `person_id`, `task_id`, `task` of what this thread is at, where there is such."""

SHORTEST_SECRET = 6
"""A shorter password is a word like others, and blotted out it would be guessed from the gaps."""


class WithIds(logging.Filter):
    """Adds `current` to every record, and as `ids` in the words of a line of text."""

    def filter(self, record: logging.LogRecord) -> bool:
        ids = current.get()
        record.ids = "".join(
            f" [{name.removesuffix('_id')} {ids[name]}]"
            for name in ("request_id", "person_id", "task_id") if name in ids
        )  # fmt: skip
        for name, value in ids.items():
            setattr(record, name, value)
        return True


class _WithoutSecrets(logging.Formatter):
    """Blots the installation's own passwords and keys out of all lines and tracebacks."""

    def __init__(self, *args: Any, secrets: Iterable[str], **options: Any) -> None:
        super().__init__(*args, **options)
        told = {each for each in secrets if len(each) >= SHORTEST_SECRET}
        told |= {json.dumps(each)[1:-1] for each in told}
        self._secrets = sorted(told, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        for secret in self._secrets:
            line = line.replace(secret, "…")
        return line


class TextLines(_WithoutSecrets):
    """A record as one line, with its traceback below, indented: no text in it begins a record."""

    def __init__(self, *, secrets: Iterable[str]) -> None:
        line = "{asctime} {levelname} {name}:{ids} {message}"
        super().__init__(line, style="{", secrets=secrets)

    def format(self, record: logging.LogRecord) -> str:
        return "\n    ".join(super().format(record).splitlines())


class JsonLines(_WithoutSecrets, JsonFormatter):
    """A record as one object on one line: time, level, logger, process, message, ids, traceback."""

    def __init__(self, *, secrets: Iterable[str]) -> None:
        super().__init__(
            "{levelname}{name}{process}{message}",
            style="{",
            timestamp="time",
            rename_fields={"levelname": "level", "name": "logger"},
            reserved_attrs=[*logging.makeLogRecord({}).__dict__, "message", "asctime", "ids"],
            json_ensure_ascii=False,
            secrets=secrets,
        )
