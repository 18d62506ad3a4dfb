"""Retries of requests to search servers; the library of language models has its own."""

import email.utils
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_exception, wait_random_exponential

from pipeline.rarr.errors import TransientError

T = TypeVar("T")

PATIENCE_SECONDS, TRIES = 10.0, 3
"""Of a request to a busy server."""
MAX_WAIT = 1e10
"""Seconds; a longer wait in a header is a mistake."""
_BACKOFF = wait_random_exponential(multiplier=0.5, max=30.0)


class RetryableError(Exception):
    """An error that may pass."""

    def __init__(self, message: str, *, after: float = 0.0) -> None:
        super().__init__(message)
        self.after = after
        """Seconds that the server asks to wait, or 0.0."""


def retry(
    send: Callable[[], T],
    *,
    server: str,
    patience: float = PATIENCE_SECONDS,
    tries: int | None = TRIES,
    sleep: Callable[[float], None] = time.sleep,
) -> T:
    """Return the first result; raises `TransientError` for the last `RetryableError`.

    Starts no wait that would end after `patience` (seconds from the first attempt), and none after
    `tries`. The error names the `server`.
    """
    patient = stop_before_delay(patience)
    retrying = Retrying(
        retry=retry_if_exception_type(RetryableError),
        wait=_BACKOFF + wait_exception(lambda error: getattr(error, "after", 0.0)),
        stop=patient if tries is None else patient | stop_after_attempt(tries),
        sleep=sleep,
        reraise=True,
    )
    try:
        return retrying(send)
    except RetryableError as error:
        raise TransientError(f"{server}: {error}", wait=error.after) from None


def retry_after(headers: Mapping[str, str], *, now: Callable[[], float] = time.time) -> float:
    """Return the seconds of `Retry-After` (number or date) or `retry-after-ms`, or 0.0.

    >>> retry_after({"retry-after": "2.5"}), retry_after({"retry-after": "soon"})
    (2.5, 0.0)
    """
    text, is_ms = headers.get("retry-after-ms", ""), True
    if not text:
        text, is_ms = headers.get("retry-after", ""), False
    try:
        seconds = float(text[:64]) / (1000 if is_ms else 1)
    except ValueError:
        date = email.utils.parsedate_tz(text[:64])
        seconds = email.utils.mktime_tz(date) - now() if date else 0.0
    return seconds if 0 < seconds < MAX_WAIT else 0.0
