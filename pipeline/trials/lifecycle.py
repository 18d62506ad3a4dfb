"""Start, keep and delete trials; an example to try."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from functools import cache, partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.data import corpora
from pipeline.data.datasets import add_passages
from pipeline.data.staging import to_stage
from pipeline.demo_data import CORPUS, PASSAGES, demo_documents
from pipeline.engine.configuration import RunConfig
from pipeline.engine.loading import versions_of
from pipeline.importing.passage_rows import passage_row
from pipeline.importing.passages import read_passages
from pipeline.importing.rows import PassageRow
from pipeline.jobs.queue import send_unsent
from pipeline.models import Corpus, Dataset, Passage, Revision, Run
from rarrweb.accounts.models import User

RETENTION_DAYS = 30
"""Days until a trial is deleted; passages in datasets stay."""


def start_trial(
    *,
    owner: User,
    text: str,
    context: str = "",
    config: RunConfig,
    corpus: Corpus | None = None,
    sources: Sequence[Mapping[str, str]] = (),
) -> Revision:
    """Queue the revision of one passage by a corpus, its sources, or the web.

    `sources` are `{"id", "title", "url", "text"}`, or `{"url"}` of a page. Raises as
    `corpora.index_version`.
    """
    versions = versions_of(config) | (corpora.index_version(corpus) if corpus else {})
    name = f"trial-{uuid.uuid4().hex}"
    with transaction.atomic():
        dataset = Dataset.objects.create(
            name=name, slug=name, trial_owner=owner, created_by=owner, passage_count=1
        )
        row = passage_row(
            line=0,
            external_id=name,
            text=text,
            context=context,
            fields={"sources": list(sources)} if sources else {},
            format="jsonl",
        )
        passage = Passage.objects.create(dataset=dataset, **to_stage(row).columns())
        run = Run.objects.create(
            system=config.system,
            config=config.to_plain(),
            versions=versions,
            dataset=dataset,
            corpus=corpus,
            created_by=owner,
            started_at=timezone.now(),
            passage_count=1,
        )
        transaction.on_commit(partial(send_unsent, run.pk))
        return Revision.objects.create(
            run=run, passage=passage, original_text=text, context=context
        )


def keep_passage(trial: Revision, *, dataset: Dataset) -> None:
    """Add passage and sources to a dataset, once."""
    passage = trial.passage
    row = passage_row(
        line=0,
        external_id=passage.external_id,
        text=passage.text,
        context=passage.context,
        fields=passage.source.extra,
        format="jsonl",
    )
    add_passages(dataset, [row])


def delete_trials(datasets: QuerySet[Dataset]) -> None:
    with transaction.atomic():
        Run.objects.filter(dataset__in=datasets).delete()
        datasets.delete()


def delete_old_trials() -> None:
    before = timezone.now() - timedelta(days=RETENTION_DAYS)
    delete_trials(Dataset.objects.filter(trial_owner__isnull=False, created_at__lt=before))


@cache
def example_passage() -> PassageRow:
    row = next(iter(read_passages(PASSAGES, format="jsonl")))
    if not isinstance(row, PassageRow):
        raise TypeError(f"The demo's first passage cannot be read: {row}")
    return row


def example_corpus(user: User) -> Corpus | None:
    """Return the demo's corpus if visible and searchable."""
    ready = Corpus.objects.visible_to(user).current().filter(state=Corpus.State.READY)
    return ready.filter(name=CORPUS).first()


def example_sources() -> list[dict[str, Any]]:
    return [asdict(document) for document in demo_documents()]
