"""A cache of responses in the database, shared by all workers and runs."""

import json
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from pipeline.models import CachedAnswer

logger = logging.getLogger(__name__)

KEYS_AT_ONCE = 500


class DatabaseCache:
    """A `ResponseCache`; responses from before `since` are ignored and overwritten."""

    def __init__(self, *, since: datetime | None = None) -> None:
        self._since = since

    def get_many(self, keys: Sequence[str]) -> Mapping[str, Any]:
        responses: dict[str, Any] = {}
        rows = CachedAnswer.objects.values_list("key", "value")
        if self._since:
            rows = rows.filter(cached_at__gte=self._since)
        try:
            with transaction.atomic():
                for start in range(0, len(keys), KEYS_AT_ONCE):
                    some = rows.filter(key__in=keys[start : start + KEYS_AT_ONCE])
                    responses |= {key: json.loads(value) for key, value in some}
        except (DatabaseError, ValueError):
            logger.exception("cached responses cannot be read")
            connection.close_if_unusable_or_obsolete()
        return responses

    def put_many(self, responses: Mapping[str, Any]) -> None:
        now = timezone.now()
        # In one order, so that two workers with the same responses do not wait for each other.
        rows = [
            CachedAnswer(key=key, value=json.dumps(responses[key]), cached_at=now)
            for key in sorted(responses)
        ]
        try:
            CachedAnswer.objects.bulk_create(
                rows,
                batch_size=KEYS_AT_ONCE,
                update_conflicts=True,
                unique_fields=["key"],
                update_fields=["value", "cached_at"],
            )
        except DatabaseError:
            logger.exception("%d responses could not be cached", len(rows))
            connection.close_if_unusable_or_obsolete()


def forget(*, before: datetime | None = None) -> int:
    """Delete responses cached before a time, or all; return how many."""
    old = CachedAnswer.objects.all()
    if before is not None:
        old = old.filter(cached_at__lt=before)
    return old.delete()[0]
