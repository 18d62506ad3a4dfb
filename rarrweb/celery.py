"""The Celery application. A message only names a row; the database is the truth."""

import logging
import os
import socket
from typing import Any

from celery import Celery
from celery.signals import task_postrun, task_prerun
from kombu import Exchange, Queue
from kombu.transport import TRANSPORT_ALIASES

from rarrweb.log_lines import current

logger = logging.getLogger("rarrweb.tasks")

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rarrweb.settings")

TRANSPORT_ALIASES["filesystem"] = "rarrweb.filesystem_broker:Transport"

# One queue per kind of work, so that users do not wait behind long jobs.
PASSAGES = "rarrweb.passages"
TRIALS = "rarrweb.trials"
UPLOADS = "rarrweb.uploads"
INDEXING = "rarrweb.indexing"
SCORING = "rarrweb.scoring"
SHORT = (TRIALS, PASSAGES, UPLOADS)
LONG = (INDEXING, SCORING)


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_concurrency() -> int:
    """Return the number of worker processes: one per core, 2 to 8.

    At least two, so that a passage does not wait for the import of a large file.
    """
    return max(2, min(cores(), 8))


def threads_per_process(processes: int) -> int:
    """Return how many threads each worker process computes with, to fill the cores."""
    return max(1, cores() // max(1, processes))


app = Celery("rarrweb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    task_queues=[Queue(name, Exchange(name), routing_key=name) for name in (*SHORT, *LONG)],
    task_default_queue=PASSAGES,
    # A message is redelivered if its process dies. Work is not repeated: tasks claim their row.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_concurrency=default_concurrency(),
    worker_proc_alive_timeout=60,  # Celery's 4 s to fork are too few under load
    worker_hijack_root_logger=False,
    # Broadcasts are slow in a folder of files; see `workers.registry`.
    worker_enable_remote_control=not (app.conf.broker_url or "").startswith("filesystem"),
    broker_connection_retry_on_startup=True,
    # The sweep sends the rest.
    task_publish_retry_policy={"max_retries": 1},
)
REDIS_OPTIONS: dict[str, Any] = {
    # Longer than any task takes: Redis redelivers a message after it.
    "visibility_timeout": 12 * 3600,
    "socket_connect_timeout": 3,
    # Not a socket timeout: if an acknowledgement times out, kombu never frees its prefetch slot.
    "socket_keepalive": True,
    "socket_keepalive_options": {
        getattr(socket, name): value
        for name, value in (
            ("TCP_KEEPIDLE", 30),
            ("TCP_KEEPINTVL", 10),
            ("TCP_KEEPCNT", 3),
            ("TCP_USER_TIMEOUT", 60_000),
        )
        if hasattr(socket, name)
    },
}
SECONDS_TO_ANSWER = 3
"""How long web processes wait for an answer of Redis."""
IS_REDIS = (app.conf.broker_url or "").startswith(("redis", "rediss", "sentinel"))
if IS_REDIS:
    app.conf.broker_transport_options = {
        **REDIS_OPTIONS,
        **(app.conf.broker_transport_options or {}),
    }
app.autodiscover_tasks()


@task_prerun.connect
def name_the_task(task_id: str, task: Any, **options: Any) -> None:
    """Add the ids of the task and of its request to the task's log lines."""
    ids = {"task_id": task_id, "task": task.name}
    if request_id := getattr(task.request, "request_id", None):
        ids["request_id"] = request_id
    current.set(ids)


@task_postrun.connect
def note_the_end(task: Any, state: str, **options: Any) -> None:
    logger.info("%s %s", task.name, state, extra={"arguments": task.request.args})
    current.set({})
