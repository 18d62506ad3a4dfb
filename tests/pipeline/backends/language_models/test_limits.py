"""How fast a server is asked, by a clock that the tests move."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pipeline.backends.language_models.limits import Limits, limits_of
from pipeline.backends.retries import RetryableError, retry, seconds_of


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_no_more_than_so_many_begin_in_any_minute(clock: Clock) -> None:
    limits = Limits(concurrency=4, per_minute=3, clock=clock, sleep=clock.sleep)
    begun = []
    for _ in range(8):
        with limits.turn():
            begun.append(clock.now)
        clock.now += 1
    for place in range(len(begun) - 3):
        assert begun[place + 3] - begun[place] >= 60
    assert begun[:3] == [1000, 1001, 1002]
    assert begun[3] == 1060


def test_without_a_limit_nobody_waits(clock: Clock) -> None:
    limits = Limits(concurrency=1, per_minute=0, clock=clock, sleep=clock.sleep)
    for _ in range(100):
        with limits.turn():
            pass
    assert clock.slept == []


def test_a_server_that_asks_for_patience_is_left_alone_by_all(clock: Clock) -> None:
    limits = Limits(concurrency=2, per_minute=0, clock=clock, sleep=clock.sleep)
    limits.hold(5)
    limits.hold(2)
    with limits.turn():
        assert clock.now == 1005


def test_only_so_many_have_a_turn_at_once() -> None:
    limits = Limits(concurrency=2, per_minute=0)
    inside, most, lock = 0, 0, threading.Lock()
    meet = threading.Barrier(2, timeout=120)

    def work(_: int) -> None:
        nonlocal inside, most
        with limits.turn():
            with lock:
                inside += 1
                most = max(most, inside)
            meet.wait()
            with lock:
                inside -= 1

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert most == 2


def test_a_turn_that_ends_in_an_error_is_given_back() -> None:
    limits = Limits(concurrency=1, per_minute=0)
    for _ in range(3):
        with pytest.raises(ValueError, match="x"), limits.turn():
            raise ValueError("x")


def test_the_models_of_a_server_share_its_limits() -> None:
    one = limits_of("http://a/v1", concurrency=2, per_minute=0)
    assert limits_of("http://a/v1", concurrency=2, per_minute=0) is one
    assert limits_of("http://b/v1", concurrency=2, per_minute=0) is not one


# --- Trying again ------------------------------------------------------------------------


def failing(*errors: RetryableError) -> tuple[list[int], object]:
    tries: list[int] = []

    def send() -> str:
        tries.append(1)
        if len(tries) <= len(errors):
            raise errors[len(tries) - 1]
        return "done"

    return tries, send


def test_waits_are_those_that_the_server_asks_for() -> None:
    slept: list[float] = []
    tries, send = failing(RetryableError("busy", after=7.0), RetryableError("busy"))
    assert retry(send, patience=60, sleep=slept.append) == "done"  # type: ignore[arg-type]
    assert len(tries) == 3
    assert 7.0 <= slept[0] <= 7.7
    assert 0 < slept[1] <= 1


def test_no_wait_is_begun_that_ends_after_the_patience() -> None:
    slept: list[float] = []
    tries, send = failing(RetryableError("busy", after=61.0))
    with pytest.raises(RetryableError, match="busy"):
        retry(send, patience=60, sleep=slept.append)  # type: ignore[arg-type]
    assert (len(tries), slept) == (1, [])


def test_without_patience_there_is_one_try() -> None:
    tries, send = failing(RetryableError("busy"))
    with pytest.raises(RetryableError):
        retry(send, patience=0)  # type: ignore[arg-type]
    assert len(tries) == 1


def test_other_errors_are_not_tried_again() -> None:
    def send() -> None:
        tries.append(1)
        raise ZeroDivisionError

    tries: list[int] = []
    with pytest.raises(ZeroDivisionError):
        retry(send, patience=60)
    assert len(tries) == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("Wed, 21 Oct 2015 07:28:10 GMT", 10.0),
        ("Wed, 21 Oct 2015 07:27:00 GMT", 0.0),
        ("-4", 0.0),
        ("inf", 0.0),
        ("", 0.0),
        ("tomorrow", 0.0),
    ],
)
def test_what_the_header_asks_for(header: str, seconds: float) -> None:
    assert seconds_of(header, now=lambda: 1445412480.0) == seconds
