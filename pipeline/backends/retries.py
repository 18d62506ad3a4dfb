"""Asking a server again after faults that may pass: rate limits, restarts, silence, broken
replies.

Waits double and are spread by chance; what the server asks for (`Retry-After`, in any spelling) is
honoured. The whole of it, tries and waits, ends with the patience. `tenacity` does the trying. The
retries of `openai` are off: they end after a number of tries whatever time has passed, read a wait
from two headers only, and take a broken body for an answer.
"""

import email.utils
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TypeVar

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    stop_before_delay,
)
from tenacity.wait import wait_random_exponential

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds; a wait is drawn between 0 and a bound that doubles from the first to the longest."""

PASSED_ON = ("", "llm_provider-")
"""Prefixes of a header's name: none for the server itself, and one for the provider behind
LiteLLM.
"""
TOO_MANY = 429
_UNIT = r"(?:ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?|h|hours?|d|days?)(?![a-z])"
_PART = re.compile(rf"(\d{{1,12}}(?:\.\d{{1,9}})?)\s?({_UNIT})\s?", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "mil": 0.001, "m": 60, "h": 3600, "d": 86_400, "s": 1}
"""By the beginning of a unit's name, the longer beginnings first."""
_IN_WORDS = re.compile(
    rf"\b(?:try again|retry) (?:in|after) ((?:\d{{1,9}}(?:\.\d{{1,9}})?\s?{_UNIT}\s?){{1,4}})",
    re.IGNORECASE,
)
EPOCH, EPOCH_MS = 1e9, 1e11
"""A number from here on is a time since 1970, in seconds or in milliseconds."""

LONGEST = 64
"""The most characters of a wait; a longer text is not read as one."""

T = TypeVar("T")


class RetryableError(Exception):
    """A try failed in a way that another may cure.

    Of a language model's server the message continues "The language model's server …".
    """

    def __init__(self, problem: str, *, after: float = 0.0, fix: str = "", said: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.after = after
        """Seconds that the server asked to wait; 0.0 where it said nothing."""
        self.fix = fix
        """What to do where it does not pass."""
        self.said = said
        """The server's own words, as they came."""


def retry(
    send: Callable[[], T],
    *,
    patience: float,
    tries: int | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> T:
    """What `send` returns, at the first try that raises no `RetryableError`; raises the last one.

    No wait is begun that would end after the patience (seconds since the first try began), and
    none after so many tries.
    """
    patient = stop_before_delay(patience)
    retrying = Retrying(
        retry=retry_if_exception_type(RetryableError),
        wait=_wait,
        stop=patient if tries is None else patient | stop_after_attempt(tries),
        sleep=sleep,
        reraise=True,
    )
    return retrying(send)


def _wait(state: RetryCallState) -> float:
    drawn = wait_random_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT)(state)
    error = state.outcome.exception() if state.outcome else None
    after = error.after if isinstance(error, RetryableError) else 0.0
    # Never earlier than asked, not all at the same moment, and not in haste where it asks for
    # hardly any time and refuses again.
    return max(after + min(drawn, 0.1 * after), drawn, 0.05)


def asked_wait(
    status: int,
    headers: Mapping[str, str],
    said: str = "",
    *,
    now: Callable[[], float] = time.time,
) -> float:
    """Seconds that a refusal asks to wait, by its headers (names in small letters) or its words.

    `Retry-After` or `retry-after-ms` counts first, then "try again in 20s" of the message. Where
    the server says only when its limits are full again, the limit that is used up counts, or the
    first to be full. 0.0 where nothing can be read.
    """
    for prefix in PASSED_ON:
        wait = seconds_of(headers.get(f"{prefix}retry-after-ms"), now=now) / 1000
        if wait := wait or seconds_of(headers.get(f"{prefix}retry-after"), now=now):
            return wait
    if status != TOO_MANY:
        return 0.0  # limits stand in every answer
    if found := _IN_WORDS.search(said):
        return seconds_of(found[1], now=now)
    resets = {
        name: wait
        for name, value in headers.items()
        if "ratelimit" in name and "reset" in name and (wait := seconds_of(value, now=now))
    }
    used_up = [
        wait
        for name, wait in resets.items()
        if headers.get(name.replace("reset", "remaining")) == "0"
    ]
    return max(used_up) if used_up else min(resets.values(), default=0.0)


def seconds_of(value: str | None, *, now: Callable[[], float] = time.time) -> float:
    """What a wait asks for: seconds, "6m0s", a date or a time since 1970; 0.0 where unreadable.

    >>> seconds_of("2.5"), seconds_of("1m2.5s"), seconds_of("20 ms"), seconds_of("nan")
    (2.5, 62.5, 0.02, 0.0)
    """
    text = (value or "").strip()
    if not 0 < len(text) <= LONGEST:
        return 0.0
    if not _PART.sub("", text):
        return sum(float(number) * _seconds_in(unit) for number, unit in _PART.findall(text))
    try:
        seconds = float(text)
    except ValueError:
        seconds = _time_named(text) - now()
    else:
        if seconds >= EPOCH:
            seconds = (seconds / 1000 if seconds >= EPOCH_MS else seconds) - now()
    return seconds if 0 < seconds < float("inf") else 0.0


def _seconds_in(unit: str) -> float:
    return next(seconds for begins, seconds in _SECONDS.items() if unit.lower().startswith(begins))


def _time_named(text: str) -> float:
    """The time since 1970 of a date as mails or ISO 8601 write it; 0.0 where it is none."""
    for read in (email.utils.parsedate_to_datetime, datetime.fromisoformat):
        with suppress(ValueError, OverflowError):
            found = read(text)
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return 0.0
