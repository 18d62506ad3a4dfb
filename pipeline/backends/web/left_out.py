"""Pages that a search found and that were not read, with why: gathered for the work at hand.

Evidence that is missing because a site said no, or because its address was refused, is a fact
about a revision as much as the evidence that is there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pipeline.rarr.types import LeftOut

_gathered: ContextVar[dict[str, LeftOut] | None] = ContextVar("left_out", default=None)


@contextmanager
def gathered() -> Iterator[dict[str, LeftOut]]:
    """What is left out inside, by address, in the order in which it was found."""
    found: dict[str, LeftOut] = {}
    token = _gathered.set(found)
    try:
        yield found
    finally:
        _gathered.reset(token)


def leave_out(url: str, *, kind: str, reason: str) -> None:
    """Name a page that is left out, once; forgotten where nobody gathers."""
    found = _gathered.get()
    if found is not None:
        found.setdefault(url, LeftOut(url=url, kind=kind, reason=reason))
