"""Starting runs: what is frozen, what is refused, what goes on and what is tried again."""

import hashlib
import logging
import uuid
from collections.abc import Sequence
from functools import partial
from itertools import islice

from django.db import transaction
from django.utils import timezone

from pipeline.backends.budgets import Budget
from pipeline.backends.model_revisions import revisions_of
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import versions
from pipeline.engine.language_models import llm_identity
from pipeline.engine.search import search_identity
from pipeline.jobs.queue import send_unsent
from pipeline.models import Corpus, Dataset, Passage, Revision, Run
from pipeline.rarr.errors import BadConfig
from pipeline.runs import lifecycle
from rarrweb.accounts.models import User

logger = logging.getLogger(__name__)


class RunRefused(Exception):
    """A run cannot start; the message says why and what to do, in plain sentences."""


def start_run(
    *,
    dataset: Dataset,
    corpus: Corpus | None,
    config: RunConfig,
    created_by: User | None,
    refresh: bool = False,
    group: uuid.UUID | None = None,
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
    try:
        searches = search_identity(config.search)
    except BadConfig as error:
        raise RunRefused(f"Nothing can be searched: {error}") from None
    frozen_versions = {
        **versions(),
        **llm_identity(config.llm),
        **revisions_of(config.to_plain().values()),
        **searches,
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
            group=group,
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


def start_runs(
    *,
    dataset: Dataset,
    corpus: Corpus | None,
    configs: Sequence[RunConfig],
    created_by: User | None,
) -> list[Run]:
    """Start a run for each configuration, all or none, as one group where there are several.

    Raises `RunRefused` as `start_run` does.
    """
    group = uuid.uuid4() if len(configs) > 1 else None
    with transaction.atomic():
        return [
            start_run(
                dataset=dataset, corpus=corpus, config=config, created_by=created_by, group=group
            )
            for config in configs
        ]


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
    if not lifecycle.resume(run, config=config):
        return False
    transaction.on_commit(partial(send_unsent, run.pk))
    return True


def retry_failed(run: Run, *, failure: str | None = None) -> int:
    """Queue the run's failed passages again, or those of one error; how many there were."""
    count = lifecycle.requeue_failed(run, failure=failure)
    if count:
        transaction.on_commit(partial(send_unsent, run.pk))
    return count
