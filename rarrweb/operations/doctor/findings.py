"""The result of one check of `manage.py doctor`."""

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

MANAGE = ".venv/bin/python manage.py"
USER_OF_ADDRESS = re.compile(r"(?<=://)[^\s/]+@")
"""User and password in an address, which must not appear in bug reports."""


class State(enum.Enum):
    OK = "✓"
    ERROR = "✗"
    WARNING = "!"
    SKIPPED = "–"
    """Not examined, because the database is not usable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    state: State
    message: str
    fix: str = ""
    """One step per line."""
    subject: str = ""
    """The name of the check; `attempt` sets it."""


Check = Callable[[], Finding]


def ok(message: str) -> Finding:
    return Finding(state=State.OK, message=message)


def error(message: str, fix: str) -> Finding:
    return Finding(state=State.ERROR, message=message, fix=fix)


def warning(message: str, fix: str) -> Finding:
    return Finding(state=State.WARNING, message=message, fix=fix)


def attempt(check: Check) -> Finding:
    """Run the check; turn exceptions into findings, and hide passwords in addresses."""
    try:
        finding = check()
    except Exception as exception:  # noqa: BLE001  # the other checks must run
        finding = error(
            f"The check failed: {type(exception).__name__}: {exception}",
            "Run make setup and try again. If it fails again, report it with this line.",
        )
    message, fix = (USER_OF_ADDRESS.sub("…@", text) for text in (finding.message, finding.fix))
    return replace(finding, message=message, fix=fix, subject=subject_of(check))


def subject_of(check: Check) -> str:
    return check.__name__.removeprefix("check_").replace("_", " ").capitalize()
