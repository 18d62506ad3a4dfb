"""The only door to the queue: whatever becomes work for a worker is started here.

A message names a task and the id of a row. Tasks are sent by name, so this module does not
import them (import-linter holds that nobody does), and they may call it in turn.
"""

import hashlib
import logging
from collections.abc import Iterable
from functools import partial
from itertools import islice

from django.db import models, transaction
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from pipeline import runs
from pipeline.backends.budgets import Budget
from pipeline.backends.model_revisions import revisions_of
from pipeline.engine import RunConfig, versions
from pipeline.language_models import llm_identity
from pipeline.models import Corpus, Dataset, Passage, Revision, Run, Upload
from pipeline.rarr.types import BadConfig
from pipeline.web_search import search_identity
from rarrweb.accounts.models import User
from rarrweb.celery import DATA, PASSAGES, app

logger = logging.getLogger(__name__)

REVISE_PASSAGE = "pipeline.revise_passage"
SEND_MORE = "pipeline.send_more"
INDEX_CORPUS = "pipeline.index_corpus"
READ_UPLOAD = "pipeline.read_upload"

QUEUES = {
    REVISE_PASSAGE: PASSAGES,
    SEND_MORE: PASSAGES,
    INDEX_CORPUS: DATA,
    READ_UPLOAD: DATA,
}
"""Which queue each task's messages wait in."""

BATCH = 500
"""Passages of one run that are sent at once. The last message of a batch sends the next one,
so a run of 100,000 passages does not hold up a small one, nor the request that starts it."""


class RunRefused(Exception):
    """A run cannot start; the message says why and what to do, in plain sentences."""


def start_run(
    *,
    dataset: Dataset,
    corpus: Corpus | None,
    config: RunConfig,
    created_by: User | None,
    refresh: bool = False,
) -> Run:
    """Freeze the configuration, make a waiting revision of every passage, and queue them.

    What the run was made of never changes afterwards: `Run.config` but for its budget,
    `Run.versions` but for models that a worker has yet to download. With `refresh`, models and
    searches are asked anew what they answered before. Raises `RunRefused` for a dataset without
    passages, a corpus that is not ready, one that is missing or that nobody would search, and a
    search engine that could not be asked.
    """
    _check_corpus(corpus, config)
    dataset.refresh_from_db(fields=["is_complete"])
    if not dataset.is_complete:
        raise RunRefused(
            f"A file is still being imported into the dataset {dataset.name!r}. Wait until all "
            "of it is written, or choose another dataset."
        )
    frozen_versions = {
        **versions(),
        **llm_identity(config.llm),
        **revisions_of(config.to_plain().values()),
        **_search_identity(config),
    }
    if corpus:
        frozen_versions["corpus"] = _corpus_identity(corpus)
    with transaction.atomic():
        run = Run.objects.create(
            system=config.system,
            dataset=dataset,
            corpus=corpus,
            config=config.to_plain(),
            created_by=created_by,
            started_at=timezone.now(),
            is_refreshed=refresh,
        )
        run.passage_count, checksum = _create_revisions(run)
        if not run.passage_count:
            raise RunRefused(
                f"The dataset {dataset.name!r} has no passages. Upload some first, or choose "
                "another dataset."
            )
        run.versions = {
            **frozen_versions,
            "dataset": f"{dataset.slug}: {run.passage_count} passages, sha256 {checksum}",
        }
        run.save(update_fields=["passage_count", "versions"])
        transaction.on_commit(partial(send_unsent, run.pk))
    return run


def _search_identity(config: RunConfig) -> dict[str, str]:
    try:
        return search_identity(config.search)
    except BadConfig as error:
        raise RunRefused(f"Nothing can be searched: {error}") from None


def _check_corpus(corpus: Corpus | None, config: RunConfig) -> None:
    if corpus is None:
        if config.needs_corpus:
            raise RunRefused(
                f"The run searches a corpus (search={config.search}), and none is chosen. Choose "
                "one, or set RARR_SEARCH to a search of the web."
            )
        return
    if not config.needs_corpus:
        raise RunRefused(
            f"The run searches the web only (search={config.search}), so the corpus "
            f"{corpus.name!r} would not be used. Leave it out, or set "
            f"RARR_SEARCH=corpus+{config.search}."
        )
    corpus.refresh_from_db(fields=["state", "document_count"])
    if corpus.state != Corpus.State.READY:
        raise RunRefused(
            f"The corpus {corpus.name!r} is {corpus.get_state_display()}, so nothing can be "
            "searched in it yet. Wait until it is ready, or choose another corpus."
        )


def _create_revisions(run: Run, *, batch: int = 500) -> tuple[int, str]:
    """A waiting row for every passage; how many, and a checksum of what they say."""
    checksum = hashlib.sha256()
    count = 0
    passages = Passage.objects.filter(dataset=run.dataset).order_by("pk")
    rows = passages.only("external_id", "text", "context", "content_hash").iterator(batch)
    while some := list(islice(rows, batch)):
        Revision.objects.bulk_create(
            Revision(run=run, passage=row, original_text=row.text, context=row.context)
            for row in some
        )
        for row in some:
            checksum.update(f"{row.external_id}\0{row.content_hash}\n".encode())
        count += len(some)
    return count, checksum.hexdigest()


def _corpus_identity(corpus: Corpus) -> str:
    """The corpus in one line: its slug, how many documents, a checksum over them all."""
    checksum = hashlib.sha256()
    count = 0
    documents = corpus.documents.order_by("pk").values_list("external_id", "content_hash")
    for external_id, content_hash in documents.iterator():
        checksum.update(f"{external_id}\0{content_hash}\n".encode())
        count += 1
    return f"{corpus.slug}: {count} documents, sha256 {checksum.hexdigest()}"


def resume_run(run: Run, *, budget: Budget | None = None) -> bool:
    """Let a paused run go on, under `budget` where one is given; False when it was not paused."""
    config = None
    if budget is not None:
        config = RunConfig.from_plain(run.config).with_budget(budget).to_plain()
    if not runs.resume(run, config=config):
        return False
    transaction.on_commit(partial(send_unsent, run.pk))
    return True


def retry_failed(run: Run) -> int:
    """Queue the run's failed passages again; how many there were."""
    count = runs.requeue_failed(run)
    if count:
        transaction.on_commit(partial(send_unsent, run.pk))
    return count


def queue_indexing(corpus: Corpus) -> None:
    """Have a worker index `corpus`; at once waiting, or left alone while a worker is at it."""
    Corpus.objects.filter(pk=corpus.pk).exclude(state=Corpus.State.INDEXING).update(
        state=Corpus.State.QUEUED, error="", claim="", lease_until=None
    )
    transaction.on_commit(partial(send, INDEX_CORPUS, [corpus.pk]))


def queue_upload(upload: Upload) -> None:
    """Have a worker check or import `upload`, as its state asks."""
    transaction.on_commit(partial(send, READ_UPLOAD, [upload.pk]))


def send_unsent(run_id: int) -> int:
    """Send the next batch of the run's passages that no message speaks of; how many.

    A batch that is full is followed by a message that sends the next one.
    """
    unsent = Revision.objects.claimable().filter(
        run_id=run_id, state=Revision.State.QUEUED, sent_at=None
    )
    ids = list(unsent.order_by("pk").values_list("pk", flat=True)[:BATCH])
    # Two senders may have read the same ids. Then a row gets two messages, and the second
    # finds it claimed: cheaper than a lock.
    Revision.objects.filter(pk__in=ids).update(sent_at=timezone.now())
    if not send(REVISE_PASSAGE, ids):
        Revision.objects.filter(pk__in=ids, state=Revision.State.QUEUED).update(sent_at=None)
        return 0
    if len(ids) == BATCH:
        send(SEND_MORE, [run_id])
    return len(ids)


def send_again(waiting: models.QuerySet[Revision]) -> int:
    """Send rows whose message is thought lost; how many."""
    ids = list(waiting.values_list("pk", flat=True))
    Revision.objects.filter(pk__in=ids).update(sent_at=timezone.now())
    return len(ids) if send(REVISE_PASSAGE, ids) else 0


def send(task: str, ids: Iterable[int]) -> bool:
    """Put one message a row on the task's queue; False when the broker cannot be reached.

    That is no error: the rows wait in the database, and the sweep sends them later.
    """
    try:
        with app.producer_or_acquire() as producer:
            for pk in ids:
                app.send_task(task, args=[pk], queue=QUEUES[task], producer=producer)
    except (OperationalError, OSError) as error:
        logger.warning("the queue cannot be reached, the sweep will send later: %s", error)
        return False
    return True


def queue_length(queue: str) -> int | None:
    """How many messages wait in `queue`; None when the broker cannot be reached."""
    broker = app.connection_for_read()
    try:
        with broker, broker.channel() as channel:
            return channel.queue_declare(queue=queue, passive=True).message_count
    except ChannelError:
        return 0  # nobody has used the queue yet
    # Each transport raises errors of its own library; kombu knows which mean "not there".
    except (OperationalError, OSError, *broker.connection_errors) as error:
        logger.warning("the queue cannot be reached: %s", error)
        return None
