"""How many attempts are allowed within a sliding window of time.

Attempts are rows in the database, so that a limit holds for every web process together.
"""

import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import Model, QuerySet
from django.utils import timezone


class TooManyAttempts(Exception):
    """The attempt was not looked at; `seconds` says after what time one will be."""

    def __init__(self, *, seconds: int) -> None:
        super().__init__(f"too many attempts, wait {seconds} s")
        self.seconds = seconds

    @property
    def minutes(self) -> int:
        return math.ceil(self.seconds / 60)


def count_attempt(attempt: Model, *, limits: Mapping[str, int], window: timedelta) -> None:
    """Save `attempt`, which has a time `at`; raises `TooManyAttempts` where it is one too many.

    `limits` says how many attempts may share the value of a field within `window`. The attempt is
    saved before others are counted: many at the same moment cannot slip past a limit. One that is
    refused is deleted again, so that whoever waits is not kept waiting by it.
    """
    rows = type(attempt)._default_manager.all()
    rows.filter(at__lt=timezone.now() - window).delete()
    attempt.save()
    others = rows.exclude(pk=attempt.pk)
    wait = max(
        seconds_to_wait(others.filter(**{field: getattr(attempt, field)}), limit, window=window)
        for field, limit in limits.items()
    )
    if wait:
        attempt.delete()
        raise TooManyAttempts(seconds=wait)


def seconds_to_wait(
    rows: QuerySet[Any], limit: int, *, window: timedelta, field: str = "at"
) -> int:
    """Seconds until fewer than `limit` of `rows` are within `window`; 0 where they are already."""
    newest = rows.order_by(f"-{field}").values_list(field, flat=True)
    blocking = newest[limit - 1 : limit].first()
    if blocking is None:
        return 0
    wait: timedelta = blocking + window - timezone.now()
    return max(0, math.ceil(wait.total_seconds()))
