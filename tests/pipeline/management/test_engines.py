"""Several things at once, in order."""

import threading

import pytest

from pipeline.management.engines import work_in_order


@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_results_have_the_order_of_the_items(at_once: int) -> None:
    result = list(work_in_order(lambda n: n * n, range(40), at_once=at_once))
    assert result == [(n, n * n) for n in range(40)]


def test_as_many_as_allowed_are_worked_on_at_once() -> None:
    meeting = threading.Barrier(3, timeout=120)

    def work(number: int) -> int:
        meeting.wait()  # breaks where fewer than three are under way
        return number

    assert [n for n, _ in work_in_order(work, range(6), at_once=3)] == list(range(6))


def test_one_at_a_time_stays_in_its_thread_and_begins_nothing_early() -> None:
    begun: list[int] = []
    threads: set[int] = set()

    def work(number: int) -> None:
        begun.append(number)
        threads.add(threading.get_ident())

    results = work_in_order(work, range(3), at_once=1)
    next(results)
    assert begun == [0]
    assert threads == {threading.get_ident()}


def test_items_are_not_read_far_ahead() -> None:
    read: list[int] = []

    def items() -> object:
        for number in range(1000):
            read.append(number)
            yield number

    results = work_in_order(lambda n: n, items(), at_once=2)  # type: ignore[arg-type]
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert len(read) == 4


@pytest.mark.parametrize("at_once", [1, 2])
def test_an_error_is_raised_in_order_and_nothing_more_begins(at_once: int) -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        if number == 2:
            raise ValueError("two")
        return number

    results = work_in_order(work, range(100), at_once=at_once)
    assert [next(results)[0], next(results)[0]] == [0, 1]
    with pytest.raises(ValueError, match="two"):
        next(results)
    assert len(begun) <= 2 + 2 * at_once
