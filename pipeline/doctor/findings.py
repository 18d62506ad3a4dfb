"""What an examination by `manage.py doctor` finds, one sentence per check."""

import enum
import errno
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

MANAGE = ".venv/bin/python manage.py"
FULL = {errno.ENOSPC, errno.EDQUOT}
"""Of an `OSError`: a disk without room."""
USER_OF_ADDRESS = re.compile(r"(?<=://)[^\s/]+@")
"""User and password: people paste what doctor prints into reports."""
ROOM = "Free some space, or move the folder to a larger disk and set RARR_VAR to it."
"""The fix for it."""


class State(enum.Enum):
    FINE = "✓"
    WRONG = "✗"
    NOTE = "!"
    """Worth knowing, and no fault."""
    SKIPPED = "–"
    """Could not be looked at, because something it needs is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check saw; `fix` says what to do when it is not fine, one step per line."""

    state: State
    says: str
    fix: str = ""
    subject: str = ""
    """What was looked at: the name of the check, filled in by `attempt`."""


Check = Callable[[], Finding]


def fine(says: str) -> Finding:
    return Finding(state=State.FINE, says=says)


def wrong(says: str, fix: str) -> Finding:
    return Finding(state=State.WRONG, says=says, fix=fix)


def note(says: str, fix: str) -> Finding:
    return Finding(state=State.NOTE, says=says, fix=fix)


def attempt(check: Check) -> Finding:
    """The check's finding, without passwords of addresses; a check that breaks is a finding too."""
    try:
        finding = check()
    except Exception as error:  # noqa: BLE001  # whatever is broken, the others are still told
        finding = wrong(
            f"could not be examined: {type(error).__name__}: {error}",
            "make setup, then again. If it stays, report it with this line.",
        )
    says, fix = (USER_OF_ADDRESS.sub("…@", text) for text in (finding.says, finding.fix))
    return replace(finding, says=says, fix=fix, subject=subject_of(check))


def subject_of(check: Check) -> str:
    return check.__name__.removeprefix("check_").replace("_", " ").capitalize()
