"""Limits on attempts within a sliding window, counted in the database for all processes."""

import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import Model, QuerySet
from django.utils import timezone


class TooManyAttempts(Exception):
    """The attempt was refused; the next one is allowed after `seconds`."""

    def __init__(self, *, seconds: int) -> None:
        super().__init__(f"too many attempts, wait {seconds} s")
        self.seconds = seconds

    @property
    def minutes(self) -> int:
        return math.ceil(self.seconds / 60)


def count_attempt(attempt: Model, *, limits: Mapping[str, int], window: timedelta) -> None:
    """Save `attempt`, which has a time `at`, or raise `TooManyAttempts`.

    `limits` maps a field to the attempts with the same value allowed within `window`. Saving
    precedes counting because of parallel attempts.
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
    newest = rows.order_by(f"-{field}").values_list(field, flat=True)
    blocking = newest[limit - 1 : limit].first()
    if blocking is None:
        return 0
    wait: timedelta = blocking + window - timezone.now()
    return max(0, math.ceil(wait.total_seconds()))
