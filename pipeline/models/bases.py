"""Bases of several tables."""

from datetime import timedelta
from typing import Any, Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from rarrweb.accounts.models import User

Row = TypeVar("Row", bound=models.Model)


class LabQuerySet(models.QuerySet[Row]):
    """Rows that every researcher may see."""

    def visible_to(self, user: User) -> Self:
        return self.all() if user.is_researcher else self.none()

    def current(self) -> Self:
        """Without archived rows."""
        return self.filter(archived_at=None)


class Archivable(models.Model):
    """Archived rows are hidden in lists and forms."""

    archived_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


def lease_is_over() -> Q:
    """The lease has expired, or its end is beyond any lease, since a clock was ahead."""
    now = timezone.now()
    farthest = now + timedelta(seconds=2 * settings.LEASE_SECONDS)
    return Q(lease_until__lt=now) | Q(lease_until__gt=farthest)


FREE: dict[str, Any] = {"claim": "", "lease_until": None}
"""Columns of a job without a worker."""


class LeasedJob(models.Model):
    """A job of one worker at a time; see `pipeline.jobs.runner`."""

    claim = models.CharField(max_length=40, blank=True)
    lease_until = models.DateTimeField(null=True)
    lost_leases = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True
