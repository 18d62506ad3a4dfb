"""Whether work moves: the queue takes messages, workers take them, and no run stands still."""

import tempfile
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils import timezone

from pipeline.doctor.findings import FULL, ROOM, Finding, fine, wrong

if TYPE_CHECKING:
    from kombu import Connection

QUIET_FOR = timedelta(minutes=5)
"""A run in which nothing has moved for so long, though work waits, is stuck."""


def check_queue() -> Finding:
    from kombu import Connection
    from kombu.exceptions import ChannelError, OperationalError

    from pipeline.jobs import queue

    scheme = str(settings.CELERY_BROKER_URL).partition(":")[0]
    is_folder = scheme == "filesystem"
    folder = settings.QUEUE_DIR / "messages"
    try:
        if is_folder:
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"rarrweb")
        else:
            with Connection(settings.CELERY_BROKER_URL, connect_timeout=5) as broker:
                broker.ensure_connection(max_retries=1, interval_start=0, timeout=5)
                if broker.transport.driver_type == "redis" and (fault := _refusal_of(broker)):
                    return fault
        lengths = [queue.queue_length(name) for name in sorted(set(queue.QUEUES.values()))]
        if None in lengths:
            raise OSError("it was there and went away")
    except (OperationalError, ChannelError, OSError) as error:
        return wrong(
            f"the {scheme} queue cannot be used ({error}). No work is lost, but none is handed "
            "out.",
            ROOM
            if is_folder and isinstance(error, OSError) and error.errno in FULL
            else f"Make the folder {folder} and let the user that runs rarrweb write to it."
            if is_folder
            else "Start the broker, or correct CELERY_BROKER_URL.",
        )
    return fine(f"{scheme}, {sum(filter(None, lengths))} messages wait")


def _refusal_of(broker: "Connection") -> Finding | None:
    """What is wrong with a Redis that answers and takes no message; None where it takes one."""
    from redis.exceptions import OutOfMemoryError, ReadOnlyError, ResponseError

    command = f"redis-cli -h {broker.hostname} -p {broker.port or 6379}"
    try:
        broker.default_channel.client.set("rarrweb-doctor", "", px=1)
    except OutOfMemoryError:
        says = "Redis is full (maxmemory)"
        fix = (
            f"{command} config set maxmemory 0, and the same in redis.conf, or as much as the "
            "machine has. Keep maxmemory-policy noeviction: others throw messages away."
        )
    except ReadOnlyError:
        says = "Redis is a copy of another one (a replica)"
        fix = (
            "Name the other one, the primary, in CELERY_BROKER_URL; or, where it is gone for good: "
            f"{command} replicaof no one"
        )
    except ResponseError as error:
        says = f"Redis refuses what is written ({error})"
        fix = "Let Redis's machine have room on its disk, and its user write to its folder (dir)."
    else:
        return None
    return wrong(f"{says}: it takes no messages. No work is lost, but none is handed out.", fix)


def check_workers() -> Finding:
    from pipeline.workers import registry

    if not registry.any_alive():
        fix = f"Start one: {registry.START_COMMAND}"
        return wrong("none is alive: runs and uploads wait.", fix)
    if left := registry.not_taken():
        return wrong(
            f"no living worker takes {', '.join(left)}: that work waits.",
            f"Start one that does: {registry.START_COMMAND} -Q {','.join(left)}",
        )
    return fine("all kinds of work are taken by a worker that gave a sign of life just now")


def check_runs() -> Finding:
    """No run stands still: work waits, nobody does it, and nothing has moved for a while."""
    from pipeline.models import Revision, Run

    now = timezone.now()
    of_run = Revision.objects.filter(run=OuterRef("pk"))
    going = Run.objects.filter(state=Run.State.RUNNING)
    stuck = (
        going.filter(Exists(Revision.objects.claimable().filter(run=OuterRef("pk"))))
        .exclude(Exists(of_run.filter(state=Revision.State.RUNNING, lease_until__gte=now)))
        .exclude(Exists(of_run.filter(finished_at__gte=now - QUIET_FOR)))
        .filter(created_at__lt=now - QUIET_FOR)
    )
    numbers = list(stuck.order_by("pk").values_list("pk", flat=True)[:10])
    if numbers:
        from pipeline.workers import registry

        named = ", ".join(map(str, numbers))
        return wrong(
            f"nothing has moved for {QUIET_FOR.seconds // 60} minutes, though passages wait, in "
            f"run {named}.",
            f"Start a worker ({registry.START_COMMAND}); if one is alive, restart it: at its "
            "start it sends again what got lost.",
        )
    return fine(f"{going.count()} running, none stuck")
