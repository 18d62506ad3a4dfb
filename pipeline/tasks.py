"""What a worker may be asked to do. A task takes an id and hands over; see pipeline.jobs.queue.

Only a worker imports this module, so its heart is connected here too.
"""

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
from pipeline.jobs import queue, stopping
from pipeline.runs import execution
from pipeline.runs.scoring import Scoring
from pipeline.workers import heartbeat
from rarrweb.celery import app, threads_of_each

PASSAGE_SECONDS = 30 * 60
"""A passage that takes longer has failed: a local model on a slow machine needs minutes."""


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


_heart: heartbeat.Heart | None = None


@worker_ready.connect
def start_heart(**kwargs: Any) -> None:
    global _heart
    _heart = heartbeat.Heart(heartbeat.own_name(), queues=app.amqp.queues.consume_from)
    _heart.start()


@worker_shutting_down.connect
def tell_the_pool(**kwargs: Any) -> None:
    stopping.tell()


@worker_shutdown.connect
def stop_heart(**kwargs: Any) -> None:
    if _heart is not None:
        _heart.stop()


@celeryd_after_setup.connect
def share_the_cores(instance: Any, **options: Any) -> None:
    """Before the processes fork: without RARR_THREADS, they share the cores among them."""
    threads = settings.RARR_THREADS or threads_of_each(instance.concurrency)
    model.configure(threads=threads, device=settings.RARR_DEVICE)
