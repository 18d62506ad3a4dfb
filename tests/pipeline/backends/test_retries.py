"""Waits that servers ask for."""

import pytest

from pipeline.backends.retries import retry_after

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
