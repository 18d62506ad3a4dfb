"""Which workers live: a row a worker process, touched by its heart (pipeline.workers.heartbeat)."""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.jobs.queue import QUEUES
from pipeline.models import Worker

START_COMMAND = ".venv/bin/celery -A rarrweb worker"
"""What a person types to start a worker; pages show it when none is alive."""

MISSED_BEATS = 3
"""A worker that was silent for so many heartbeats counts as dead."""

FORGET_AFTER = timedelta(days=1)


def any_alive() -> bool:
    """Whether a worker gave a sign of life within the last three heartbeats."""
    return alive().exists()


def alive() -> QuerySet[Worker]:
    """The workers that did, the oldest first."""
    since = timezone.now() - timedelta(seconds=MISSED_BEATS * settings.HEARTBEAT_SECONDS)
    return Worker.objects.filter(last_seen__gte=since).order_by("started_at", "pk")


def not_taken() -> list[str]:
    """The kinds of work, by the names of their queues, that no living worker takes."""
    taken = {queue for queues in alive().values_list("queues", flat=True) for queue in queues}
    return sorted(set(QUEUES.values()) - taken)


def beat(name: str, queues: Sequence[str] = ()) -> None:
    """Say that worker `name` lives and takes the work of `queues`."""
    now = timezone.now()
    if not Worker.objects.filter(name=name).update(last_seen=now):
        Worker.objects.create(name=name, queues=list(queues), started_at=now, last_seen=now)


def forget(name: str) -> None:
    """Take a worker that ends in good order off the list at once."""
    Worker.objects.filter(name=name).delete()


def forget_the_dead() -> None:
    """Drop workers that were killed long ago."""
    Worker.objects.filter(last_seen__lt=timezone.now() - FORGET_AFTER).delete()
