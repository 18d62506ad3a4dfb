"""Who works on a row: claimed by one conditional UPDATE, held under a lease that is renewed.

A row has `claim` (a token of this try) and `lease_until`. A worker that dies stops renewing,
and after the lease the row waits for another again. A worker that was only slow, or was paused,
must `confirm` its lease before it writes anything: `LeaseLost` ends its work.

A worker that is told to stop gives back what it cannot end in time: see `pipeline.jobs.stopping`.

A row whose lease ran out counts one more of its `lost_leases` when it is brought back. One that
has lost too many is given up: work that kills its workers must not have them all.
See `pipeline.jobs.runner`.
"""

import logging
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, connection, models
from django.utils import timezone

from pipeline.jobs import stopping
from pipeline.models.bases import FREE
from rarrweb.web.unavailable import is_busy

logger = logging.getLogger(__name__)

MOST_LOST = 2
"""Workers that may die, or stand still, over one row."""
LOOK_SECONDS = 0.25
"""How often a worker looks whether it is to stop."""
AWAY_SECONDS = 0.5
"""How often the end of a turn is tried to be written while the database is away."""
UNWIND_SECONDS = 2.0
"""How long work may take to notice that its row was given back, before its process ends."""


class LeaseLost(Exception):
    """The row was given back, or another worker took it, as no renewal came in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to work on one row, as long as its claim is `token`."""

    model: type[models.Model]
    pk: int
    token: str
    released: Mapping[str, Any] = field(default_factory=dict)
    """Columns to write when the row is given back, besides the claim."""

    @property
    def mine(self) -> models.QuerySet[Any]:
        """The row, if the claim on it is still `token`: update through it and count the rows."""
        return self.model._default_manager.filter(pk=self.pk, claim=self.token)

    def __str__(self) -> str:
        return f"{self.model.__name__} {self.pk}"

    def renew(self) -> bool:
        """Put off the end of the lease; False when the row is another's by now."""
        return bool(self.mine.update(lease_until=lease_end()))

    def confirm(self) -> None:
        """Renew the lease, or raise `LeaseLost`: call it before each thing that is written.

        As the last step of a transaction it decides with the rest: a rival who claims the row
        then waits for the commit, and one who was faster leaves nothing to commit.
        """
        if not self.renew():
            raise LeaseLost(f"{self} was taken over, or given back")

    def give_back(self) -> None:
        """Let the row wait for the next worker at once; no lease counts as lost."""
        if self.mine.update(**FREE, **self.released):
            logger.info("%s is given back: the worker stops", self)


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def claim(claimable: models.QuerySet[Any], pk: int, **values: Any) -> str:
    """Take row `pk` if it is free and among `claimable`; its token, or "" when another was faster.

    "" also where this worker was told to stop, and the time for what it had in work is over.

    What may change under a rival's hands must be a condition on the row's own columns, with no
    join: Django moves a joined UPDATE's conditions into a subquery, and PostgreSQL does not
    test a subquery again when it has waited for the rival to commit. Then both would win.
    """
    if sum(used > 0 for used in claimable.query.alias_refcount.values()) > 1:
        raise ValueError("A claim by a join is no claim: use `__in` with a queryset instead.")
    if stopping.is_over():
        return ""
    token = uuid.uuid4().hex
    free = claimable.filter(pk=pk, lease_until=None)
    return token if free.update(claim=token, lease_until=lease_end(), **values) == 1 else ""


def write_end(mine: models.QuerySet[Any], **values: Any) -> int:
    """Write the end of a turn with its claim taken off, once the database is there.

    While that is away there is nothing else to do, and the turn may have been minutes of a
    model's work; a lease must not count as lost over it. Returns how many rows were written: none
    where another worker has the row by now. Raises where the database says anything else, or the
    worker is told to stop.
    """
    is_told = False
    while True:
        try:
            return mine.update(**FREE, **values)
        except (OperationalError, InterfaceError) as error:
            if not is_busy(error) or stopping.is_over():
                raise
            if not is_told:
                logger.warning("the database is away, the end of a turn waits: %s", error)
            is_told = True
            connection.close_if_unusable_or_obsolete()
            time.sleep(AWAY_SECONDS)


def set_aside_sentence(work: str, *, fix: str, deaths: str = "twice") -> str:
    """Why nobody is at a row any more that has lost too many leases."""
    return (
        f"Set aside: {deaths} a worker died or stood still over {work}, most likely for want of "
        f"memory. {fix}"
    )


@contextmanager
def renewed(lease: Lease) -> Iterator[None]:
    """Keep the lease alive, from a thread of its own, for as long as the block runs.

    A worker that stops gives it back.

    The block asks the lease before it writes (`Lease.confirm`).
    """
    done = threading.Event()
    pause = settings.LEASE_SECONDS / 4

    def keep() -> None:
        try:
            due = time.monotonic() + pause
            while not done.wait(min(pause, LOOK_SECONDS)):
                is_over = stopping.is_over()
                if time.monotonic() < due and not is_over:
                    continue
                due = time.monotonic() + pause
                try:
                    if is_over:
                        lease.give_back()
                        break
                    mine = lease.renew()
                except Error:
                    # The next round tries again, on a new connection where this one is dead;
                    # a lease outlives three failed ones.
                    logger.exception("the lease of %s could not be renewed", lease)
                    connection.close_if_unusable_or_obsolete()
                    if is_over:
                        break
                    continue
                if not mine:
                    logger.warning("the lease of %s is lost", lease)
                    return
        finally:
            connection.close()  # a thread's connection is its own
        if not done.wait(UNWIND_SECONDS):
            stopping.end_fork()

    thread = threading.Thread(target=keep, name=f"lease-{lease.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
