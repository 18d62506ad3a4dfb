"""Tells whoever works with models when some are being loaded: each loads at its first use."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

Tell = Callable[[bool], None]
"""Called with True when a model begins to load, and with False when it is there or has failed."""

_tell: ContextVar[Tell | None] = ContextVar("model_loading", default=None)


@dataclass(slots=True)
class LoadingTime:
    """What loading has taken so far."""

    seconds: float = 0.0


_time: ContextVar[LoadingTime | None] = ContextVar("loading_time", default=None)


@contextmanager
def timed_loading() -> Iterator[LoadingTime]:
    """Fills with the time that models take to load inside."""
    spent = LoadingTime()
    token = _time.set(spent)
    try:
        yield spent
    finally:
        _time.reset(token)


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
    tell, spent = _tell.get(), _time.get()
    if tell:
        tell(True)
    # A model that is loaded by another one's loading is part of that one's time.
    token = _time.set(None)
    start = time.perf_counter()
    try:
        yield
    finally:
        _time.reset(token)
        if spent:
            spent.seconds += time.perf_counter() - start
        if tell:
            tell(False)
