"""What lists and forms leave out from now on, or show again. Nothing is lost by it."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone


def archive(rows: QuerySet[Any]) -> int:
    """Archive those of `rows` that are not; how many."""
    return rows.filter(archived_at=None).update(archived_at=timezone.now())


def unarchive(rows: QuerySet[Any]) -> int:
    """Let lists show those of `rows` again that are archived; how many."""
    return rows.exclude(archived_at=None).update(archived_at=None)
