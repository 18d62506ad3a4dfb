"""The tasks of workers, by row id (`pipeline.jobs.queue`), and a worker's heartbeat."""

from typing import Any

from celery.signals import (
    celeryd_after_setup,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)
from django.conf import settings

from pipeline.backends.compact.reader import model
from pipeline.data import corpora, upload_jobs
from pipeline.jobs import queue, shutdown
from pipeline.runs import execution
from pipeline.runs.scoring import Scoring
from pipeline.workers.heartbeat import HeartbeatThread
from rarrweb.celery import app, threads_per_process

PASSAGE_SECONDS = 30 * 60
"""Time limit of a passage: a local model on a slow machine needs minutes."""


@app.task(
    name=queue.REVISE_PASSAGE, soft_time_limit=PASSAGE_SECONDS, time_limit=PASSAGE_SECONDS + 60
)
def revise_passage(revision_id: int) -> None:
    execution.revise_several(revision_id)


@app.task(name=queue.REVISE_TRIAL, soft_time_limit=PASSAGE_SECONDS, time_limit=PASSAGE_SECONDS + 60)
def revise_trial(revision_id: int) -> None:
    execution.Revising().run(revision_id)


@app.task(name=queue.INDEX_CORPUS)
def index_corpus(corpus_id: int) -> None:
    corpora.Indexing().run(corpus_id)


@app.task(name=queue.READ_UPLOAD)
def read_upload(upload_id: int) -> None:
    upload_jobs.Reading().run(upload_id)


@app.task(name=queue.SCORE_RUN)
def score_run(job_id: int) -> None:
    Scoring().run(job_id)


_heartbeat: HeartbeatThread | None = None


@worker_ready.connect
def start_heartbeat(**kwargs: Any) -> None:
    global _heartbeat
    _heartbeat = HeartbeatThread(queues=app.amqp.queues.consume_from)
    _heartbeat.start()


@worker_shutting_down.connect
def request_shutdown(**kwargs: Any) -> None:
    shutdown.request()


@worker_shutdown.connect
def stop_heartbeat(**kwargs: Any) -> None:
    if _heartbeat is not None:
        _heartbeat.stop()


@celeryd_after_setup.connect
def divide_cores(instance: Any, **options: Any) -> None:
    """Divide the cores among the processes, before they fork, unless RARR_THREADS is set."""
    threads = settings.RARR_THREADS or threads_per_process(instance.concurrency)
    model.configure(threads=threads, device=settings.RARR_DEVICE)
