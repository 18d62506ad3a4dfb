"""Concurrent calls on real connections."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection

from annotation.models import Campaign


@contextmanager
def failures_collected() -> Iterator[list[BaseException]]:
    failures: list[BaseException] = []
    yield failures
    if failures:
        raise failures[0]


def all_at_once(*works: Callable[[], object]) -> None:
    start = threading.Barrier(len(works))

    with failures_collected() as failures:

        def run(work: Callable[[], object]) -> None:
            try:
                start.wait()
                work()
            except BaseException as error:  # noqa: BLE001  # raised again by the test
                failures.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=run, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def slots_of(campaign: Campaign) -> dict[int, list[int]]:
    return {
        item.pk: [each.slot for each in item.assignments.all() if each.slot is not None]
        for item in campaign.items.prefetch_related("assignments")
    }
