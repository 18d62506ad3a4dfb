"""Concurrent calls on real connections."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection

from annotation.models import Assignment, Campaign


@contextmanager
def failures_collected() -> Iterator[list[BaseException]]:
    result: list[BaseException] = []
    yield result
    if result:
        raise result[0]


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
    slots: dict[int, list[int]] = {item.pk: [] for item in campaign.items.all()}
    held = Assignment.objects.filter(item__campaign=campaign, slot__isnull=False)
    for item, slot in held.values_list("item", "slot"):
        slots[item].append(slot)
    return slots
