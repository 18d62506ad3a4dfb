"""How fast this process may ask one server: how many requests at once, and how many per minute.

Neither `openai` nor `tenacity` has such a limit over the threads of a process.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

MINUTE = 60.0


class Limits:
    """Turns at one server. `per_minute` holds for any 60 seconds; 0 is no limit.

    A server that asks for patience (`hold`) is left alone by all threads until then.
    """

    def __init__(
        self,
        *,
        concurrency: int,
        per_minute: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._places = threading.BoundedSemaphore(concurrency)
        self._begun: deque[float] = deque(maxlen=per_minute or None)
        self._per_minute = per_minute
        self._held_until = 0.0
        self._lock = threading.Lock()
        self._clock, self._sleep = clock, sleep

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a place and for the time, then have the place while the block runs."""
        with self._places:
            while wait := self._wait():
                self._sleep(wait)
            yield

    def hold(self, seconds: float) -> None:
        """Begin no request within this number of seconds from now."""
        with self._lock:
            self._held_until = max(self._held_until, self._clock() + seconds)

    def _wait(self) -> float:
        """Seconds to wait; 0.0 enters a request as begun."""
        with self._lock:
            now = self._clock()
            begin = max(now, self._held_until)
            if self._per_minute and len(self._begun) == self._per_minute:
                begin = max(begin, self._begun[0] + MINUTE)
            if begin > now:
                return begin - now
            if self._per_minute:
                self._begun.append(now)
            return 0.0


@lru_cache(maxsize=64)
def limits_of(server: str, *, concurrency: int, per_minute: int) -> Limits:
    """The limits of a server, by its address: all its models share them."""
    return Limits(concurrency=concurrency, per_minute=per_minute)
