"""Work on several things at once, and their results in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2
"""How many times `at_once` items may be begun before the first of them is handed over."""


def work_in_order(
    work: Callable[[Item], Result], items: Iterable[Item], *, at_once: int
) -> Iterator[tuple[Item, Result]]:
    """Each item with what `work` makes of it, in the items' order; `at_once` of them in threads.

    With 1 nothing is begun before its turn, and in the caller's own thread. What `work` raises is
    raised in its place; then, and where the caller stops early, nothing more is begun, and what
    is under way ends first.
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
