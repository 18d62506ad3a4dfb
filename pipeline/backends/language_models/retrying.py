"""Asking a server again after what may pass: rate limits, restarts, silence, broken replies.

Waits double and are spread by chance; what the server asks for (`Retry-After`) is honoured. The
whole of it, tries and waits, ends with the patience.
"""

import email.utils
import time
from collections.abc import Callable
from typing import TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_before_delay
from tenacity.wait import wait_random_exponential

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds; a wait is drawn between 0 and a bound that doubles from the first to the longest."""

T = TypeVar("T")


class Again(Exception):
    """A try failed in a way that another may cure; the message goes on "the server …"."""

    def __init__(self, problem: str, *, after: float = 0.0) -> None:
        super().__init__(problem)
        self.problem = problem
        self.after = after
        """Seconds that the server asked to wait; 0.0 where it said nothing."""


def persist(
    send: Callable[[], T], *, patience: float, sleep: Callable[[float], None] = time.sleep
) -> T:
    """What `send` returns, at the first try that raises no `Again`; the last one when it is over.

    No wait is begun that would end after the patience (seconds since the first try began).
    """
    retrying = Retrying(
        retry=retry_if_exception_type(Again),
        wait=_wait,
        stop=stop_before_delay(patience),
        sleep=sleep,
        reraise=True,
    )
    return retrying(send)


def _wait(state: RetryCallState) -> float:
    drawn = wait_random_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT)(state)
    error = state.outcome.exception() if state.outcome else None
    after = error.after if isinstance(error, Again) else 0.0
    # Never earlier than asked, and not all at the same moment.
    return after + min(drawn, 0.1 * after) if after else max(drawn, 0.05)


def seconds_of(header: str | None, *, now: Callable[[], float] = time.time) -> float:
    """What a `Retry-After` header asks for: seconds, or a date; 0.0 where it cannot be read.

    >>> seconds_of("2.5"), seconds_of(None), seconds_of("soon"), seconds_of("nan")
    (2.5, 0.0, 0.0, 0.0)
    """
    if not header:
        return 0.0
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(header).timestamp() - now()
        except (ValueError, OverflowError):
            return 0.0
    return seconds if 0 < seconds < float("inf") else 0.0
