"""The Celery application. A message only says "look at row N"; the database is the truth."""

import os
from typing import Any

from celery import Celery
from celery.signals import celeryd_after_setup
from kombu import Exchange, Queue
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rarrweb.settings")

# The default broker, `filesystem://`, by our own channel: see rarrweb.message_files for why.
TRANSPORT_ALIASES["filesystem"] = "rarrweb.message_files:Transport"

PASSAGES = "rarrweb.passages"
"""The queue of passages to revise: many, short."""
TRIALS = "rarrweb.trials"
"""The queue of single passages that somebody waits for: never behind a run."""
DATA = "rarrweb.data"
"""The queue of uploads to read and corpora to index: few, long, and never behind a run."""


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_concurrency() -> int:
    """Worker processes by default: one a core that this process may use, at most 8.

    Each holds its own models in memory; `celery worker --concurrency` says otherwise.
    """
    return max(1, min(cores(), 8))


def threads_of_each(processes: int) -> int:
    """Threads that each of a worker's processes computes with, so that all fill the cores."""
    return max(1, cores() // max(1, processes))


app = Celery("rarrweb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    task_queues=[
        Queue(name, Exchange(name), routing_key=name) for name in (PASSAGES, TRIALS, DATA)
    ],
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
)
if (app.conf.broker_url or "").startswith(("redis", "rediss", "sentinel")):
    # Longer than any task may take, or Redis would hand a task out twice while it works.
    app.conf.broker_transport_options = {
        "visibility_timeout": 12 * 3600,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        **(app.conf.broker_transport_options or {}),
    }
app.autodiscover_tasks()


@celeryd_after_setup.connect
def share_the_cores(instance: Any, **options: Any) -> None:
    """Before the processes fork: without RARR_THREADS, they share the cores among them."""
    from django.conf import settings

    from pipeline.backends.compact.reader import model

    threads = settings.RARR_THREADS or threads_of_each(instance.concurrency)
    model.configure(threads=threads, device=settings.RARR_DEVICE)
