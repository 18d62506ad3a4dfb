"""Observe models as they load, at their first use."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

Observer = Callable[[bool], None]
"""Called with True when a model starts to load, and with False when it ends or fails."""

_observers: ContextVar[tuple[Observer, ...]] = ContextVar("loading_observers", default=())


@dataclass(slots=True)
class LoadingTime:
    seconds: float = 0.0


@contextmanager
def observe_loading(observer: Observer) -> Iterator[None]:
    """Call `observer` for models that load inside, in this thread."""
    token = _observers.set((*_observers.get(), observer))
    try:
        yield
    finally:
        _observers.reset(token)


@contextmanager
def timed_loading() -> Iterator[LoadingTime]:
    spent = LoadingTime()

    def count(is_loading: bool) -> None:
        spent.seconds += -time.perf_counter() if is_loading else time.perf_counter()

    with observe_loading(count):
        yield spent


@contextmanager
def loading() -> Iterator[None]:
    """Report a model, with those that it loads, as loading."""
    observers = _observers.get()
    token = _observers.set(())
    for observer in observers:
        observer(True)
    try:
        yield
    finally:
        _observers.reset(token)
        for observer in observers:
            observer(False)
