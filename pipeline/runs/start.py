"""Start runs, resume them, and retry failed passages."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.data import corpora
from pipeline.engine.configuration import RunConfig, parse_budget
from pipeline.engine.loading import versions_of
from pipeline.engine.search import search_identity
from pipeline.generation.strategies import WITHOUT_SEARCH
from pipeline.jobs.queue import send_unsent
from pipeline.models import Corpus, Dataset, Revision, Run
from pipeline.rarr.errors import BadConfig, RarrError
from pipeline.runs import lifecycle
from pipeline.runs.budget import limits_of, spent_by
from rarrweb.accounts.models import User


class RunRefused(Exception):
    """A run cannot start; the message is for people."""


def start_run(
    *,
    dataset: Dataset,
    corpus: Corpus | None,
    config: RunConfig,
    created_by: User | None,
    refresh: bool = False,
) -> Run:
    (run,) = start_runs(
        dataset=dataset, corpus=corpus, configs=[config], created_by=created_by, refresh=refresh
    )
    return run


def start_runs(
    *,
    dataset: Dataset,
    corpus: Corpus | None,
    configs: Sequence[RunConfig],
    created_by: User | None,
    refresh: bool = False,
) -> list[Run]:
    """Start a run for each configuration, all or none, as one group.

    Each freezes its configuration and versions, and queues a revision of every passage. `refresh`
    ignores cached answers. Raises `BadConfig` for a missing corpus, and `RunRefused` if there is
    nothing to do, or the corpus or search cannot be used.
    """
    # Outside the transaction: this contacts servers and reads the whole corpus.
    frozen = [_freeze(dataset, corpus, config) for config in configs]
    group = uuid.uuid4() if len(configs) > 1 else None
    with transaction.atomic():
        return [
            _create_run(
                Run(
                    system=config.system,
                    dataset=dataset,
                    corpus=None if config.system in WITHOUT_SEARCH else corpus,
                    config=config.to_plain(),
                    versions=versions,
                    created_by=created_by,
                    started_at=timezone.now(),
                    is_refreshed=refresh,
                    group=group,
                ),
                config,
            )
            for config, versions in zip(configs, frozen, strict=True)
        ]


def _freeze(dataset: Dataset, corpus: Corpus | None, config: RunConfig) -> dict[str, str]:
    if config.system in WITHOUT_SEARCH:
        corpus = None  # chosen for other systems
    _check_corpus(corpus, config)
    check_complete(dataset)
    try:
        searches = search_identity(config.search)
        if corpus:
            searches |= corpora.index_version(corpus)
    except RarrError as error:
        raise RunRefused(f"Nothing can be searched: {error}") from None
    versions = {**versions_of(config), **searches}
    if corpus:
        _, versions["corpus"] = identity_of(corpus, corpus.documents.all())
    return versions


def _create_run(run: Run, config: RunConfig) -> Run:
    run.save()
    _check_questions(run.dataset, config)
    run.passage_count, checksum = _create_revisions(run)
    if not run.passage_count:
        raise RunRefused(nothing_in(run.dataset))
    if lacking := count_lacking_sources(run):
        if lacking == run.passage_count:
            raise RunRefused(
                f"No passage of the dataset {run.dataset.name!r} came with the text of a source, "
                "and the run searches nothing else (search=sources). Import the passages with "
                "their sources, or search a corpus."
            )
        run.versions["own sources"] = (
            f"{run.passage_count - lacking:,} of {run.passage_count:,} passages came with some"
        )
    run.versions["dataset"] = f"{run.dataset.slug}: {run.passage_count} passages, sha256 {checksum}"
    run.save(update_fields=["passage_count", "versions"])
    transaction.on_commit(partial(send_unsent, run.pk))
    return run


def count_lacking_sources(run: Run) -> int:
    """Count passages without the sources that the run needs."""
    if not RunConfig.from_plain(run.config).searches_passage_sources:
        return 0
    return run.passage_count - count_with_sources(run)


def count_with_sources(run: Run) -> int:
    rows = Revision.objects.filter(run=run).values_list("passage__source", flat=True)
    return sum(bool(source.with_text) for source in rows.iterator(500))


def sources_note(run: Run) -> str:
    """Return a note to people on passages without sources, or ""."""
    lacking = count_lacking_sources(run)
    if not lacking:
        return ""
    then = "nothing can be cited there" if run.writes_answers else "these will fail"
    return (
        f"{lacking:,} of {run.passage_count:,} passages came without the text of any source: "
        f"{then}."
    )


def check_complete(dataset: Dataset) -> None:
    """Raise `RunRefused` during an import into the dataset."""
    dataset.refresh_from_db(fields=["is_complete"])
    if not dataset.is_complete:
        raise RunRefused(
            f"A file is still being imported into the dataset {dataset.name!r}. Wait until all "
            "of it is written, or choose another dataset."
        )


def nothing_in(dataset: Dataset) -> str:
    """Explain why there is nothing to revise or judge."""
    if dataset.passages.exists():
        return (
            f"The dataset {dataset.name!r} holds questions without answers, so there is no text "
            "yet. Let a strategy write answers first, or choose another dataset."
        )
    return (
        f"The dataset {dataset.name!r} has no passages. Upload some first, or choose "
        "another dataset."
    )


def _check_corpus(corpus: Corpus | None, config: RunConfig) -> None:
    if corpus is None:
        if config.needs_corpus:
            raise BadConfig(
                f"The run searches a corpus (search={config.search}), and none is chosen. Choose "
                "one, or set RARR_SEARCH to a search of the web.",
                field="corpus",
            )
        return
    if not config.needs_corpus:
        raise RunRefused(
            f"The run searches no corpus (search={config.search}), so {corpus.name!r} would not be "
            "used. Leave it out, or set RARR_SEARCH to a search of a corpus."
        )
    corpus.refresh_from_db(fields=["state", "document_count", "indexed_in"])
    if corpus.state != Corpus.State.READY:
        raise RunRefused(
            f"The corpus {corpus.name!r} is {corpus.get_state_display()}, so nothing can be "
            "searched in it yet. Wait until it is ready, or choose another corpus."
        )


def _check_questions(dataset: Dataset, config: RunConfig) -> None:
    if not config.writes_answers or not dataset.passages.exists():
        return
    if not dataset.passages.exclude(context__regex=r"^\s*$").exists():
        raise RunRefused(
            f"{config.system} answers the questions that are the passages’ contexts, and no "
            f"passage of the dataset {dataset.name!r} has one. Choose another dataset, or import "
            "its questions as contexts."
        )
    if config.needs_drafts and not dataset.passages.exclude(text="").exists():
        raise RunRefused(
            f"{config.system} begins with the passages’ texts, and the dataset {dataset.name!r} "
            "has questions only: import answers as texts, or set RARR_LLM to a language model that "
            "writes them."
        )


def _create_revisions(run: Run, *, batch: int = 500) -> tuple[int, str]:
    """Return the number of revisions and a checksum."""
    checksum = hashlib.sha256()
    count = 0
    passages = run.dataset.passages.order_by("pk")
    if not run.writes_answers:  # a bare question has nothing to revise
        passages = passages.exclude(text="")
    rows = passages.only("external_id", "text", "context", "content_hash").iterator(batch)
    while some := list(islice(rows, batch)):
        Revision.objects.bulk_create(
            Revision(
                run=run,
                passage=row,
                original_text="" if run.writes_answers else row.text,
                context=row.context,
            )
            for row in some
        )
        for row in some:
            checksum.update(f"{row.external_id}\0{row.content_hash}\n".encode())
        count += len(some)
    return count, checksum.hexdigest()


def identity_of(owner: Corpus | Dataset, rows: QuerySet[Any]) -> tuple[int, str]:
    """Return the number of rows, and a line with slug, number and checksum."""
    checksum = hashlib.sha256()
    count = 0
    hashes = rows.order_by("pk").values_list("external_id", "content_hash").iterator()
    for count, (external_id, content_hash) in enumerate(hashes, start=1):  # noqa: B007
        checksum.update(f"{external_id}\0{content_hash}\n".encode())
    noun = rows.model._meta.verbose_name_plural
    return count, f"{owner.slug}: {count} {noun}, sha256 {checksum.hexdigest()}"


def resume_run(run: Run, *, limits: Mapping[str, Any] | None = None) -> bool:
    """Continue a paused run; False if it was not paused.

    One that paused by itself gets new `limits`, by name of `BUDGETS`; raises `BadConfig` if they
    are used up.
    """
    config = None
    if run.pause_reason:
        budget = parse_budget({**limits_of(run), **(limits or {})})
        if refusal := budget.refusal(spent_by(run), calls=1):
            raise BadConfig(f"{refusal} Write a higher limit, or 0 for none.")
        config = RunConfig.from_plain(run.config).with_budget(budget).to_plain()
    if not lifecycle.resume(run, config=config):
        return False
    transaction.on_commit(partial(send_unsent, run.pk))
    return True


def retry_failed(run: Run, *, failure: str | None = None) -> int:
    """Queue the failed passages, or those of one error; return how many."""
    count = lifecycle.requeue_failed(run, failure=failure)
    if count:
        transaction.on_commit(partial(send_unsent, run.pk))
    return count
