"""The Celery application. A message only says "look at row N"; the database is the truth."""

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

# The default broker, `filesystem://`, by our own channel: see rarrweb.message_files for why.
TRANSPORT_ALIASES["filesystem"] = "rarrweb.message_files:Transport"

# One queue a kind of work. A worker takes all of them, or those that `-Q` names.
PASSAGES = "rarrweb.passages"
"""Passages of runs: many, short, by models."""
TRIALS = "rarrweb.trials"
"""Single passages that somebody waits for: never behind a run."""
UPLOADS = "rarrweb.uploads"
"""Files to check and to import, while somebody watches."""
INDEXING = "rarrweb.indexing"
"""Corpora to index: long, and nobody watches."""
SCORING = "rarrweb.scoring"
"""Whole runs to score and to compare, by models: long, and nobody watches."""

SHORT = (TRIALS, PASSAGES, UPLOADS)
LONG = (INDEXING, SCORING)
"""What `manage.py serve` gives a worker of its own, so that no short work stands behind it."""


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_concurrency() -> int:
    """Worker processes by default: one a core that this process may use, 2 to 8.

    Two on one core: else a passage waits for the import of a large file. Each holds its own
    models in memory; `celery worker --concurrency` says otherwise.
    """
    return max(2, min(cores(), 8))


def threads_of_each(processes: int) -> int:
    """Threads that each of a worker's processes computes with, so that all fill the cores."""
    return max(1, cores() // max(1, processes))


app = Celery("rarrweb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    task_queues=[Queue(name, Exchange(name), routing_key=name) for name in (*SHORT, *LONG)],
    task_default_queue=PASSAGES,
    # A message is gone only when its task ended, and comes back when its process died. Work
    # itself is never repeated by that: a task first claims its row.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_concurrency=default_concurrency(),
    worker_proc_alive_timeout=60,  # a busy machine may need more than Celery's 4 s to fork
    worker_hijack_root_logger=False,
    # Who lives is a row of the database (`workers.registry`), so it needs no broadcast, which a
    # folder of files does badly.
    worker_enable_remote_control=not (app.conf.broker_url or "").startswith("filesystem"),
    broker_connection_retry_on_startup=True,
    # Whoever presses a button waits for it; what is not sent, the sweep sends.
    task_publish_retry_policy={"max_retries": 1},
)
REDIS_OPTIONS: dict[str, Any] = {
    # Longer than any task may take, or Redis would hand a task out twice while it works.
    "visibility_timeout": 12 * 3600,
    "socket_connect_timeout": 3,
    # A worker waits for a Redis that stands still, however long: where an acknowledgement ends with
    # a timeout, kombu keeps its message's place among those prefetched, and once all places are
    # kept so the worker asks for no more. A Redis whose machine is gone is noticed within a minute.
    "socket_keepalive": True,
    "socket_keepalive_options": {
        getattr(socket, name): value
        for name, value in (
            ("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3),
            ("TCP_USER_TIMEOUT", 60_000),
        )
        if hasattr(socket, name)
    },
}  # fmt: skip
SECONDS_TO_ANSWER = 3
"""How long others wait for an answer of Redis: a page must not hang as long as it stands still."""
IS_REDIS = (app.conf.broker_url or "").startswith(("redis", "rediss", "sentinel"))
if IS_REDIS:
    app.conf.broker_transport_options = {
        **REDIS_OPTIONS,
        **(app.conf.broker_transport_options or {}),
    }
app.autodiscover_tasks()


@task_prerun.connect
def name_the_task(task_id: str, task: Any, **options: Any) -> None:
    """Lines that the task writes say which it is, and which request it comes from."""
    ids = {"task_id": task_id, "task": task.name}
    if request_id := getattr(task.request, "request_id", None):
        ids["request_id"] = request_id
    current.set(ids)


@task_postrun.connect
def note_the_end(task: Any, state: str, **options: Any) -> None:
    logger.info("%s %s", task.name, state, extra={"arguments": task.request.args})
    current.set({})
