"""Who works on a row: claimed by one conditional UPDATE, held under a lease that is renewed.

A row has `claim` (a token of this try) and `lease_until`. A worker that dies stops renewing,
and after the lease anyone may claim the row again. A worker that was only slow, or was paused,
must `confirm` its lease before it writes anything: `LeaseLost` ends its work.

A claim on a row whose lease ran out counts one more of its `lost_leases`. Whoever claims a row
that has lost `MOST_LOST` sets it aside: work that kills its workers must not have them all.
"""

import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import Error, connection, models
from django.db.models import Case, F, When
from django.utils import timezone

logger = logging.getLogger(__name__)

MOST_LOST = 2
"""Workers that may die, or stand still, over one row."""


class LeaseLost(Exception):
    """Another worker took the row, since this one did not renew its lease in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to work on one row, as long as its claim is `token`."""

    model: type[models.Model]
    pk: int
    token: str

    def renew(self) -> bool:
        """Put off the end of the lease; False when the row is another's by now."""
        mine = where_mine(self.model, self.pk, self.token)
        return bool(mine.update(lease_until=lease_end()))

    def confirm(self) -> None:
        """Renew the lease, or raise `LeaseLost`: call it before each thing that is written.

        As the last step of a transaction it decides with the rest: a rival who claims the row
        then waits for the commit, and one who was faster leaves nothing to commit.
        """
        if not self.renew():
            raise LeaseLost(f"{self.model.__name__} {self.pk} was taken over by another worker")


def is_silent(lease_until: datetime | None, *, seconds: float) -> bool:
    """Whether nobody has renewed a lease for so long; never so of a row that nobody holds."""
    quiet = timedelta(seconds=settings.LEASE_SECONDS - seconds)
    return lease_until is not None and lease_until < timezone.now() + quiet


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def claim(claimable: models.QuerySet[Any], pk: int, **values: Any) -> str:
    """Take row `pk` if it is among `claimable`; its token, or "" when another was faster.

    What may change under a rival's hands must be a condition on the row's own columns, with no
    join: Django moves a joined UPDATE's conditions into a subquery, and PostgreSQL does not
    test a subquery again when it has waited for the rival to commit. Then both would win.
    """
    if sum(used > 0 for used in claimable.query.alias_refcount.values()) > 1:
        raise ValueError("A claim by a join is no claim: use `__in` with a queryset instead.")
    token = uuid.uuid4().hex
    # Who ends a try by itself takes its lease off the row.
    lost = Case(When(lease_until=None, then=F("lost_leases")), default=F("lost_leases") + 1)
    won = claimable.filter(pk=pk).update(
        claim=token, lease_until=lease_end(), lost_leases=lost, **values
    )
    return token if won == 1 else ""


def set_aside_sentence(work: str, *, fix: str) -> str:
    """Why nobody is at a row any more that has lost `MOST_LOST` leases."""
    return (
        f"Set aside: twice a worker died or stood still over {work}, most likely for want of "
        f"memory. {fix}"
    )


@contextmanager
def renewed(
    model: type[models.Model], pk: int, token: str, *, every: float | None = None
) -> Iterator[Lease]:
    """Keep the lease alive, from a thread of its own, for as long as the block runs.

    It is renewed `every` so many seconds where somebody watches, and often enough in any case.

    The block asks the lease before it writes (`Lease.confirm`).
    """
    lease = Lease(model=model, pk=pk, token=token)
    done = threading.Event()
    pause = min(every or settings.LEASE_SECONDS, settings.LEASE_SECONDS / 4)

    def keep() -> None:
        try:
            while not done.wait(pause):
                try:
                    mine = lease.renew()
                except Error:
                    # The next round tries again, on a new connection where this one is dead;
                    # a lease outlives three failed ones.
                    logger.exception("the lease of %s %s could not be renewed", model.__name__, pk)
                    connection.close_if_unusable_or_obsolete()
                    continue
                if not mine:
                    logger.warning("the lease of %s %s is lost", model.__name__, pk)
                    return
        finally:
            connection.close()  # a thread's connection is its own

    thread = threading.Thread(target=keep, name=f"lease-{pk}", daemon=True)
    thread.start()
    try:
        yield lease
    finally:
        done.set()
        thread.join()


def where_mine(model: type[models.Model], pk: int, token: str) -> models.QuerySet[Any]:
    """The row, if the claim on it is still `token`: update through it and count the rows."""
    return model._default_manager.filter(pk=pk, claim=token)
