"""Exclusive work on a row: a conditional UPDATE claims it, a renewed lease holds it.

When a worker dies, its lease expires and the row can be claimed again. A worker must `confirm` its
lease before it writes.
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

from pipeline.jobs import shutdown
from pipeline.models.bases import FREE
from rarrweb.web.unavailable import is_transient_error

logger = logging.getLogger(__name__)

MAX_CRASHES = 2
"""Workers that may crash or hang on one row."""
POLL_SECONDS = 0.25
"""Pause between checks for a shutdown."""
RETRY_SECONDS = 0.5
"""Pause between attempts to record the end of a job."""
UNWIND_SECONDS = 2.0
"""Time between the release of a row and the end of its process."""


class LeaseLost(Exception):
    """The row was released, or its lease expired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to work on a row while its claim is `token`."""

    model: type[models.Model]
    pk: int
    token: str
    released: Mapping[str, Any] = field(default_factory=dict)
    """Columns to write on release, besides the claim."""

    @property
    def mine(self) -> models.QuerySet[Any]:
        """The row while this lease holds it: write through it."""
        return self.model._default_manager.filter(pk=self.pk, claim=self.token)

    def __str__(self) -> str:
        return f"{self.model.__name__} {self.pk}"

    def renew(self) -> bool:
        """Extend the lease; False if it is lost."""
        return bool(self.mine.update(lease_until=lease_end()))

    def confirm(self) -> None:
        """Renew the lease, or raise `LeaseLost`.

        As a transaction's last step it makes the writes conditional on the lease.
        """
        if not self.renew():
            raise LeaseLost(f"{self} was released, or claimed by another worker")

    def release(self) -> None:
        """Make the row claimable at once, without counting a crash."""
        if self.mine.update(**FREE, **self.released):
            logger.info("%s is released: the worker shuts down", self)


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def claim(claimable: models.QuerySet[Any], pk: int, **values: Any) -> str:
    """Claim row `pk` if it is free and in `claimable`; return the token, or "".

    Returns "" after the deadline of a shutdown. Raises `ValueError` for a join.
    """
    # Django moves a joined UPDATE's conditions into a subquery, which PostgreSQL does not test
    # again after waiting for a rival's commit: both workers would win.
    if sum(used > 0 for used in claimable.query.alias_refcount.values()) > 1:
        raise ValueError("`claimable` must not join: use `__in` with a queryset instead.")
    if shutdown.deadline_passed():
        return ""
    token = uuid.uuid4().hex
    free = claimable.filter(pk=pk, lease_until=None)
    return token if free.update(claim=token, lease_until=lease_end(), **values) == 1 else ""


def write_end(mine: models.QuerySet[Any], **values: Any) -> int:
    """Record the end of a job, waiting while the database is unavailable.

    Returns 0 if the lease is lost. Raises other errors, and any after a shutdown's deadline.
    """
    has_warned = False
    while True:
        try:
            return mine.update(**FREE, **values)
        except (OperationalError, InterfaceError) as error:
            if not is_transient_error(error) or shutdown.deadline_passed():
                raise
            if not has_warned:
                logger.warning("the database is unavailable, the end of a job waits: %s", error)
            has_warned = True
            connection.close_if_unusable_or_obsolete()
            time.sleep(RETRY_SECONDS)


def crash_sentence(work: str, *, fix: str, crashes: str = "twice") -> str:
    return f"Skipped: the worker crashed or hung {crashes} on {work}, probably out of memory. {fix}"


@contextmanager
def renewed(lease: Lease) -> Iterator[None]:
    """Renew the lease from a thread during the block; release it if the worker shuts down."""
    done = threading.Event()
    pause = settings.LEASE_SECONDS / 4

    def renew() -> None:
        try:
            due = time.monotonic() + pause
            while not done.wait(min(pause, POLL_SECONDS)):
                is_over = shutdown.deadline_passed()
                if time.monotonic() < due and not is_over:
                    continue
                due = time.monotonic() + pause
                try:
                    if is_over:
                        lease.release()
                        break
                    mine = lease.renew()
                except Error:
                    # A lease outlives three failed renewals.
                    logger.exception("the lease of %s could not be renewed", lease)
                    connection.close_if_unusable_or_obsolete()
                    if is_over:
                        break
                    continue
                if not mine:
                    logger.warning("the lease of %s is lost", lease)
                    return
        finally:
            connection.close()  # each thread has its own
        if not done.wait(UNWIND_SECONDS):
            shutdown.exit_child()

    thread = threading.Thread(target=renew, name=f"lease-{lease.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
