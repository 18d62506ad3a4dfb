"""Asking a search server again: how long, how often, and never after other errors."""

from typing import Any

import pytest

from pipeline.backends.retries import RetryableError, retry, retry_after

NOW = 1445412480.0  # Wed, 21 Oct 2015 07:28:00 GMT


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("Wed, 21 Oct 2015 07:28:10 GMT", 10.0),
        ("Wed, 21 Oct 2015 07:27:00 GMT", 0.0),
        *((other, 0.0) for other in ("-4", "inf", "nan", "", "tomorrow", "²", "9" * 100_000)),
    ],
)
def test_a_header_asks_for_seconds_or_for_milliseconds_first(header: str, seconds: float) -> None:
    assert retry_after({"retry-after": header}, now=lambda: NOW) == seconds
    assert retry_after({"retry-after": header, "retry-after-ms": "1500"}) == 1.5
    assert retry_after({}) == 0.0


class Sends:
    """Raises the errors in turn, then returns "yes"; counts its calls and the waits."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0
        self.waited: list[float] = []

    def __call__(self) -> str:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "yes"


def test_a_wait_is_never_shorter_than_the_server_asks_for() -> None:
    send = Sends(RetryableError("busy", after=7.0), RetryableError("busy"))
    assert retry(send, patience=60, sleep=send.waited.append) == "yes"
    first, second = send.waited
    assert 7.0 <= first <= 7.5
    assert 0.0 <= second <= 1.0


@pytest.mark.parametrize(
    ("after", "limits", "calls"),
    [(61.0, {"patience": 60}, 1), (0.0, {"patience": 1e9, "tries": 3}, 3)],
)
def test_patience_and_tries_are_limits(after: float, limits: dict[str, Any], calls: int) -> None:
    send = Sends(*[RetryableError("busy", after=after)] * 9)
    with pytest.raises(RetryableError, match="busy"):
        retry(send, sleep=send.waited.append, **limits)
    assert (send.calls, len(send.waited)) == (calls, calls - 1)


def test_other_errors_are_not_tried_again() -> None:
    send = Sends(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        retry(send, patience=60)
    assert send.calls == 1
