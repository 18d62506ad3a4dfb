"""Who works on a row: claimed by one conditional UPDATE, held under a lease that is renewed.

A row has `claim` (a token of this try) and `lease_until`. A worker that dies stops renewing,
and after the lease anyone may claim the row again. A worker that was only slow finds, when it
wants to write its result `where_mine`, that the claim is no longer its own, and drops it.
"""

import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, models
from django.utils import timezone

logger = logging.getLogger(__name__)


def lease_end() -> timezone.datetime:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def claim(claimable: models.QuerySet, pk: int, **values: Any) -> str:
    """Take row `pk` if it is among `claimable`; its token, or "" when another was faster."""
    token = uuid.uuid4().hex
    won = claimable.filter(pk=pk).update(claim=token, lease_until=lease_end(), **values)
    return token if won == 1 else ""


@contextmanager
def renewed(model: type[models.Model], pk: int, token: str) -> Iterator[None]:
    """Keep the lease alive, from a thread of its own, for as long as the block runs."""
    done = threading.Event()
    every = settings.LEASE_SECONDS / 4

    def keep() -> None:
        try:
            while not done.wait(every):
                try:
                    mine = where_mine(model, pk, token).update(lease_until=lease_end())
                except DatabaseError:
                    # The next round tries again; a lease outlives three failed ones.
                    logger.exception("the lease of %s %s could not be renewed", model.__name__, pk)
                    continue
                if not mine:
                    return
        finally:
            connection.close()  # a thread's connection is its own

    thread = threading.Thread(target=keep, name=f"lease-{pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def where_mine(model: type[models.Model], pk: int, token: str) -> models.QuerySet:
    """The row, if the claim on it is still `token`: update through it and count the rows."""
    return model._default_manager.filter(pk=pk, claim=token)
