"""What tables have in common: whose rows they are, the archive, a worker's lease."""

from datetime import timedelta
from typing import Any, Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from rarrweb.accounts.models import User

Row = TypeVar("Row", bound=models.Model)


class LabQuerySet(models.QuerySet[Row]):
    """Rows that belong to the whole lab: every researcher sees them, nobody else does."""

    def visible_to(self, user: User) -> Self:
        return self.all() if user.is_researcher else self.none()

    def current(self) -> Self:
        """Those that nobody has archived."""
        return self.filter(archived_at=None)


class Archivable(models.Model):
    """What lists and forms leave out once it is archived; nothing of it is lost."""

    archived_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


def lease_is_over() -> Q:
    """That nobody holds a row any more: its lease has run out, or none can reach so far.

    A clock that was ahead has given the latter. When it is set back, and the worker dead, the row
    would wait for as long as the clock was ahead.
    """
    now = timezone.now()
    farthest = now + timedelta(seconds=2 * settings.LEASE_SECONDS)
    return Q(lease_until__lt=now) | Q(lease_until__gt=farthest)


FREE: dict[str, Any] = {"claim": "", "lease_until": None}
"""The columns of a job that no worker has claimed."""


class LeasedJob(models.Model):
    """A row that one worker at a time works on; see `pipeline.jobs.runner`."""

    claim = models.CharField(max_length=40, blank=True)
    lease_until = models.DateTimeField(null=True)
    lost_leases = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True
