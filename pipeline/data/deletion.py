"""Permanent deletion."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from stat import S_ISREG
from typing import TypeVar

from django.db import models, transaction
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from pipeline.data.corpora import delete_remote_index, index_path
from pipeline.data.notes import count_notes
from pipeline.data.stored_files import paths_of, remove
from pipeline.models import Corpus, Dataset, Revision, Run, SharedRevision, Upload
from pipeline.rarr.errors import RarrError
from rarrweb.accounts import audit
from rarrweb.web.deletion import DeletionPreview, DeletionRefused

DISPLAYED_USES = 10
_TRIALS = Run.objects.filter(dataset__trial_owner__isnull=False).values("pk")
Row = TypeVar("Row", bound=models.Model)


def dataset_deletion_preview(dataset: Dataset) -> DeletionPreview:
    notes = count_notes(dataset)
    lost = (
        ("Passages", f"{dataset.passages.count():,}"),
        *_if_any("Notes and tags on passages", notes),
        ("Uploaded files", f"{dataset.uploads.count():,}"),
    )
    refusal = _upload_in_work(dataset.uploads.all())
    needed_by = users_of(dataset)
    if needed_by:
        refusal = "Runs revised its passages. Delete those runs first, or archive the dataset."
    return DeletionPreview(lost=lost, refusal=refusal, needed_by=needed_by, is_work=notes > 0)


def corpus_deletion_preview(corpus: Corpus) -> DeletionPreview:
    lost = (
        ("Documents", f"{corpus.documents.count():,}"),
        ("Search index in OpenSearch", corpus.indexed_in)
        if corpus.indexed_in
        else ("Search index on the disk", filesizeformat(_size_of(index_path(corpus.slug)))),
        ("Uploaded files", f"{corpus.uploads.count():,}"),
    )
    refusal = _upload_in_work(corpus.uploads.all())
    if corpus.lease_until and corpus.lease_until > timezone.now():
        refusal = "A worker is indexing it. Wait until it is done."
    needed_by = users_of(corpus)
    if needed_by:
        refusal = "Runs searched it. Delete those runs first, or archive the corpus."
    return DeletionPreview(lost=lost, refusal=refusal, needed_by=needed_by)


def run_deletion_preview(run: Run) -> DeletionPreview:
    revised = run.revisions.filter(state=Revision.State.DONE).count()
    links = SharedRevision.objects.filter(revision__run=run).count()
    lost = (
        ("Revisions, with their evidence and reports", f"{revised:,}"),
        ("Other passages of the run", f"{run.revisions.count() - revised:,}"),
        *_if_any("Links to revisions for readers", links),
    )
    refusal = ""
    if run.state == Run.State.RUNNING:
        refusal = "It is still running. Cancel it first."
    elif run.revisions.filter(
        state=Revision.State.RUNNING, lease_until__gt=timezone.now()
    ).exists():
        refusal = "A worker is still revising a passage of it. Wait until it is done."
    needed_by = users_of(run)
    if needed_by:
        refusal = "Campaigns judge its revisions. Delete those campaigns first, or archive the run."
    return DeletionPreview(lost=lost, refusal=refusal, needed_by=needed_by)


def users_of(row: models.Model) -> tuple[models.Model, ...]:
    """Return the first rows of any app that protect `row`; trials do not."""
    users = (
        user
        for relation in row._meta.related_objects
        if relation.on_delete is models.PROTECT
        for user in relation.related_model._default_manager.filter(**{relation.field.name: row})
        .exclude(pk__in=_TRIALS if relation.related_model is Run else ())
        .order_by("pk")[:DISPLAYED_USES]
    )
    return tuple(islice(users, DISPLAYED_USES))


def delete_dataset(dataset: Dataset) -> None:
    """Raises `DeletionRefused`."""
    with transaction.atomic():
        locked = locked_for_deletion(dataset, dataset_deletion_preview)
        _remove_on_commit(locked)
        audit.record("deleted", locked)
        locked.delete()


def delete_corpus(corpus: Corpus) -> None:
    """Delete a corpus with its index; raises `DeletionRefused`.

    An OpenSearch index goes first, since a slow server must not hold the transaction. If a run
    starts meanwhile, the corpus needs a new index.
    """
    with transaction.atomic():
        indexed = locked_for_deletion(corpus, corpus_deletion_preview)
    try:
        delete_remote_index(indexed)
    except RarrError as error:
        raise DeletionRefused(str(error)) from None
    with transaction.atomic():
        locked = locked_for_deletion(corpus, corpus_deletion_preview)
        _remove_on_commit(locked, index_path(locked.slug))
        Run.objects.filter(corpus=locked, pk__in=_TRIALS).update(corpus=None)
        audit.record("deleted", locked)
        locked.delete()


def delete_run(run: Run) -> None:
    """Raises `DeletionRefused`."""
    with transaction.atomic():
        locked = locked_for_deletion(run, run_deletion_preview)
        audit.record("deleted", locked)
        locked.delete()


def locked_for_deletion(row: Row, preview: Callable[[Row], DeletionPreview]) -> Row:
    """Lock the row so that nothing new can need it. Raises `DeletionRefused`."""
    rows = type(row)._default_manager.select_for_update(of=("self",))
    locked = rows.filter(pk=row.pk).first()
    if locked is None:
        raise DeletionRefused("Somebody else has deleted it.")
    if refusal := preview(locked).refusal:
        raise DeletionRefused(refusal)
    return locked


def _if_any(what: str, count: int) -> tuple[tuple[str, str], ...]:
    return ((what, f"{count:,}"),) if count else ()


def _size_of(folder: Path) -> int:
    """Return a folder's bytes, even while a writer changes it."""
    size = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            status = path.stat()
            size += status.st_size if S_ISREG(status.st_mode) else 0
    return size


def _upload_in_work(uploads: models.QuerySet[Upload]) -> str:
    if uploads.filter(state__in=[Upload.State.CHECKING, Upload.State.IMPORTING]).exists():
        return "A file for it is being checked or imported. Wait until that is done."
    return ""


def _remove_on_commit(owner: Dataset | Corpus, *others: Path) -> None:
    for path in [*others, *chain.from_iterable(map(paths_of, owner.uploads.all()))]:
        transaction.on_commit(partial(remove, path))
