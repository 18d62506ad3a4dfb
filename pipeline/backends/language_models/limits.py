"""Limits of this process's requests to one server."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

MINUTE = 60.0


class RequestLimits:
    """`per_minute` holds for any 60 seconds; 0 is no limit."""

    def __init__(
        self,
        *,
        concurrency: int,
        per_minute: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._free = threading.BoundedSemaphore(concurrency)
        self._begun: deque[float] = deque(maxlen=per_minute or None)
        self._per_minute = per_minute
        self._lock = threading.Lock()
        self._clock, self._sleep = clock, sleep

    @contextmanager
    def acquire(self) -> Iterator[None]:
        """Wait for a free request."""
        with self._free:
            while wait := self._wait():
                self._sleep(wait)
            yield

    def _wait(self) -> float:
        if not self._per_minute:
            return 0.0
        with self._lock:
            now = self._clock()
            is_full = len(self._begun) == self._per_minute
            wait = max(self._begun[0] + MINUTE - now, 0.0) if is_full else 0.0
            if not wait:
                self._begun.append(now)
            return wait


@lru_cache(maxsize=64)
def limits_of(server: str, *, concurrency: int, per_minute: int) -> RequestLimits:
    """Return a server's limits, for all its models."""
    return RequestLimits(concurrency=concurrency, per_minute=per_minute)
