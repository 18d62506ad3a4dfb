"""Concurrent work."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2
"""Items begun before the first result is taken, as a multiple of `at_once`."""


def work_in_order(
    work: Callable[[Item], Result], items: Iterable[Item], *, at_once: int
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with its result, in order, using `at_once` threads.

    1 works in the caller's thread. An error of `work` is raised at its item; then, or if the caller
    stops, running items end and no others begin.
    """
    if at_once == 1:
        for item in items:
            yield item, work(item)
        return
    begun: deque[tuple[Item, Future[Result]]] = deque()
    workers = ThreadPoolExecutor(max_workers=at_once)
    try:
        for item in items:
            begun.append((item, workers.submit(work, item)))
            if len(begun) == AHEAD * at_once:
                first, result = begun.popleft()
                yield first, result.result()
        while begun:
            first, result = begun.popleft()
            yield first, result.result()
    finally:
        workers.shutdown(wait=True, cancel_futures=True)
