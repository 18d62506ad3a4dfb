"""What an examination by `manage.py doctor` finds, one sentence a check."""

import enum
from dataclasses import dataclass

MANAGE = ".venv/bin/python manage.py"


class State(enum.Enum):
    FINE = "✓"
    WRONG = "✗"
    NOTE = "!"
    """Worth knowing, and no fault."""
    SKIPPED = "–"
    """Could not be looked at, because something it needs is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check saw; `fix` says what to do when it is not fine, one deed a line."""

    state: State
    says: str
    fix: str = ""
    subject: str = ""
    """What was looked at: the name of the check, filled in by `attempt`."""


def fine(says: str) -> Finding:
    return Finding(state=State.FINE, says=says)


def wrong(says: str, fix: str) -> Finding:
    return Finding(state=State.WRONG, says=says, fix=fix)


def note(says: str, fix: str) -> Finding:
    return Finding(state=State.NOTE, says=says, fix=fix)
