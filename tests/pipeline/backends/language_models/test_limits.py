"""How fast a server is asked, by a clock that the tests move."""

import pytest

from pipeline.backends.language_models.transport import RequestLimits, limits_of


class Clock:
    """Time that passes only while somebody sleeps."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_no_more_than_so_many_begin_in_any_minute() -> None:
    clock = Clock()
    limits = RequestLimits(concurrency=4, per_minute=3, clock=clock, sleep=clock.sleep)
    begun = []
    for _ in range(8):
        with limits.acquire():
            begun.append(clock.now)
        clock.now += 1
    for position in range(len(begun) - 3):
        assert begun[position + 3] - begun[position] >= 60
    assert begun[:3] == [1000, 1001, 1002]
    assert begun[3] == 1060
    # Without a limit no request waits.
    before = clock.now
    limits = RequestLimits(concurrency=1, per_minute=0, clock=clock, sleep=clock.sleep)
    for _ in range(100):
        with limits.acquire():
            pass
    assert clock.now == before


def test_a_request_that_fails_makes_room_for_another() -> None:
    limits = RequestLimits(concurrency=1, per_minute=0)
    for _ in range(3):
        with pytest.raises(ValueError, match="x"), limits.acquire():
            raise ValueError("x")


def test_the_models_of_a_server_share_its_limits() -> None:
    one = limits_of("http://a/v1", concurrency=2, per_minute=0)
    assert limits_of("http://a/v1", concurrency=2, per_minute=0) is one
    assert limits_of("http://b/v1", concurrency=2, per_minute=0) is not one
