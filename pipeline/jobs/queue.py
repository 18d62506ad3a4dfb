"""Messages, each with a task's name and the id of a row; lost ones are sent again."""

import logging
from collections.abc import Iterable
from functools import partial

from django.db import transaction
from django.utils import timezone
from kombu import Connection
from kombu.exceptions import ChannelError, OperationalError

from pipeline.models import Corpus, Dataset, Revision
from pipeline.models.bases import FREE
from rarrweb.celery import (
    INDEXING,
    IS_REDIS,
    PASSAGES,
    SCORING,
    SECONDS_TO_ANSWER,
    TRIALS,
    UPLOADS,
    app,
)
from rarrweb.log_lines import current

logger = logging.getLogger(__name__)

REVISE_PASSAGE = "pipeline.revise_passage"
REVISE_TRIAL = "pipeline.revise_trial"
INDEX_CORPUS = "pipeline.index_corpus"
READ_UPLOAD = "pipeline.read_upload"
SCORE_RUN = "pipeline.score_run"

QUEUES = {
    REVISE_PASSAGE: PASSAGES,
    REVISE_TRIAL: TRIALS,
    INDEX_CORPUS: INDEXING,
    READ_UPLOAD: UPLOADS,
    SCORE_RUN: SCORING,
}

BATCH = 500
"""Passages of a run sent at once, so that a large run delays neither others nor its own start."""


def mark_for_indexing(corpus: Corpus) -> None:
    """Let the corpus wait for indexing, unless a worker is indexing it."""
    Corpus.objects.filter(pk=corpus.pk).exclude(state=Corpus.State.INDEXING).update(
        state=Corpus.State.QUEUED, error="", lost_leases=0, **FREE
    )


def queue_indexing(corpus: Corpus) -> None:
    mark_for_indexing(corpus)
    transaction.on_commit(partial(send, INDEX_CORPUS, [corpus.pk]))


def send_unsent(run_id: int) -> int:
    """Send the next batch of the run's passages without a message; return its size."""
    unsent = Revision.objects.claimable().filter(run_id=run_id, sent_at=None)
    ids = list(unsent.order_by("pk").values_list("pk", flat=True)[:BATCH])
    # A second sender may read the same ids; a second message does nothing.
    Revision.objects.filter(pk__in=ids).update(sent_at=timezone.now())
    is_trial = Dataset.objects.filter(runs=run_id, trial_owner__isnull=False).exists()
    if not send(REVISE_TRIAL if is_trial else REVISE_PASSAGE, ids):
        Revision.objects.filter(pk__in=ids, state=Revision.State.QUEUED).update(sent_at=None)
        return 0
    return len(ids)


def send(task: str, ids: Iterable[int]) -> bool:
    """Queue a message for each row; False if the broker fails (the sweep sends them later)."""
    headers = {name: text for name, text in current.get().items() if name == "request_id"}
    # A pooled connection may have died with the broker, and kombu's retry then fails.
    broker = _with_timeout(app.connection_for_write())
    try:
        with broker, app.amqp.Producer(broker) as producer:
            for pk in ids:
                app.send_task(
                    task, args=[pk], queue=QUEUES[task], producer=producer, headers=headers
                )
    # `channel_errors`: a Redis that is full, or read-only.
    except (OperationalError, ChannelError, OSError, *broker.channel_errors) as error:
        logger.warning("the queue cannot be used, the sweep will send later: %s", error)
        return False
    return True


def _with_timeout(broker: Connection) -> Connection:
    if IS_REDIS:  # one that hangs still accepts connections
        broker.transport_options["socket_timeout"] = SECONDS_TO_ANSWER
    return broker


def queue_length(queue: str) -> int | None:
    """Count the messages that wait in `queue`; None without a broker."""
    broker = _with_timeout(app.connection_for_read())
    try:
        with broker, broker.channel() as channel:
            count: int = channel.queue_declare(queue=queue, passive=True).message_count
            return count
    except ChannelError as error:
        if str(error.reply_code) == "404":
            return 0  # the queue was never used
        logger.warning("the queue cannot be used: %s", error)
        return None
    except (OperationalError, OSError, *broker.connection_errors) as error:
        logger.warning("the queue cannot be reached: %s", error)
        return None
