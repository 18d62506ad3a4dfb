"""Which workers live: a row a worker process, touched by its heart (pipeline.workers.heartbeat)."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.jobs.queue import QUEUES
from pipeline.models import Worker

logger = logging.getLogger(__name__)

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


def beat(name: str, queues: Sequence[str] = (), has_sign: bool | None = None) -> None:
    """Say that worker `name` lives, takes the work of `queues`, and whether it left its sign."""
    now = timezone.now()
    if not Worker.objects.filter(name=name).update(last_seen=now, has_sign=has_sign):
        Worker.objects.create(
            name=name, queues=list(queues), started_at=now, last_seen=now, has_sign=has_sign
        )


def sign_of(name: str) -> Path:
    """A file that worker `name` keeps under RARR_VAR: who does not see it has another folder."""
    return Path(settings.VAR_DIR) / "workers" / name


def leave_sign(name: str) -> bool:
    """Write the file of worker `name`; False where that cannot be done."""
    sign = sign_of(name)
    try:
        sign.parent.mkdir(exist_ok=True)
        sign.touch()
    except OSError as error:
        logger.warning("worker %s cannot write its sign: %s", name, error)
        return False
    return True


def forget(name: str) -> None:
    """Take a worker that ends in good order off the list at once."""
    Worker.objects.filter(name=name).delete()
    with suppress(OSError):
        sign_of(name).unlink()


def forget_the_dead() -> None:
    """Drop workers that were killed long ago."""
    for dead in Worker.objects.filter(last_seen__lt=timezone.now() - FORGET_AFTER):
        forget(dead.name)
