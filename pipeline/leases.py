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
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import Error, connection, models
from django.utils import timezone

logger = logging.getLogger(__name__)


def lease_end() -> datetime:
    now: datetime = timezone.now()
    return now + timedelta(seconds=settings.LEASE_SECONDS)


def claim(claimable: models.QuerySet, pk: int, **values: Any) -> str:
    """Take row `pk` if it is among `claimable`; its token, or "" when another was faster.

    What may change under a rival's hands must be a condition on the row's own columns, with no
    join: Django moves a joined UPDATE's conditions into a subquery, and PostgreSQL does not
    test a subquery again when it has waited for the rival to commit. Then both would win.
    """
    if sum(used > 0 for used in claimable.query.alias_refcount.values()) > 1:
        raise ValueError("A claim by a join is no claim: use `__in` with a queryset instead.")
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
                except Error:
                    # The next round tries again, on a new connection where this one is dead;
                    # a lease outlives three failed ones.
                    logger.exception("the lease of %s %s could not be renewed", model.__name__, pk)
                    connection.close_if_unusable_or_obsolete()
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
