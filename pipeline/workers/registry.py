"""The registered workers, one row per process."""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.jobs.queue import QUEUES
from pipeline.models import Worker

START_COMMAND = ".venv/bin/celery -A rarrweb worker"
MISSED_BEATS = 3
"""Heartbeats without which a worker counts as dead."""
RETENTION = timedelta(days=1)


def alive() -> QuerySet[Worker]:
    """Return the living workers, oldest first."""
    since = timezone.now() - timedelta(seconds=MISSED_BEATS * settings.HEARTBEAT_SECONDS)
    return Worker.objects.filter(last_seen__gte=since).order_by("started_at", "pk")


def unserved_queues() -> list[str]:
    """Return the queues that no living worker reads."""
    served = {queue for queues in alive().values_list("queues", flat=True) for queue in queues}
    return sorted(set(QUEUES.values()) - served)


def beat(name: str, queues: Sequence[str] = ()) -> None:
    now = timezone.now()
    if not Worker.objects.filter(name=name).update(last_seen=now):
        Worker.objects.create(name=name, queues=list(queues), started_at=now, last_seen=now)


def remove(name: str) -> None:
    Worker.objects.filter(name=name).delete()


def remove_dead() -> None:
    Worker.objects.filter(last_seen__lt=timezone.now() - RETENTION).delete()
