"""Tells whoever works with models when some are being loaded: each loads at its first use."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Tell = Callable[[bool], None]
"""Called with True when a model begins to load, and with False when it is there or has failed."""

_tell: ContextVar[Tell | None] = ContextVar("model_loading", default=None)


@contextmanager
def watched(tell: Tell) -> Iterator[None]:
    """Have `tell` called for every model that is loaded inside, in this thread."""
    token = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(token)


@contextmanager
def loading() -> Iterator[None]:
    """A model is loaded inside."""
    tell = _tell.get()
    if tell is None:
        yield
        return
    tell(True)
    try:
        yield
    finally:
        tell(False)
