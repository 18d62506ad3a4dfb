"""Passages into datasets: checked whole, then written whole."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from django.db import transaction

from pipeline.importing.passages import content_hash, read_passages
from pipeline.importing.rows import PassageRow, RowError
from pipeline.models import Dataset, Passage
from pipeline.naming import create_named, find_named
from pipeline.staging import Check, Progress, Row, batches, check_rows, staged_rows
from rarrweb.accounts.models import User

ONE_TRANSACTION_BYTES = 16_000_000
"""Of staged rows: some 50,000 passages of three sentences, a matter of seconds."""


def check_passages(
    dataset: Dataset | None,
    path: Path,
    *,
    format: str = "auto",  # noqa: A002
    staged: Path | None = None,
    errors: Path | None = None,
    name: str = "",
    progress: Progress | None = None,
) -> Check:
    """What importing the file into `dataset` (None: a new one) would do; writes no row.

    The good rows go to `staged`, for `import_passages`, the wrong ones to `errors`, as CSV.
    `name` is what errors call the file. Raises `UnreadableFile` when the file cannot be opened
    or the format is unknown.
    """

    def known(keys: list[str]) -> dict[str, str]:
        if dataset is None:
            return {}
        rows = Passage.objects.filter(dataset=dataset, external_id__in=keys)
        return dict(rows.values_list("external_id", "content_hash"))

    return check_rows(
        _to_stage(read_passages(path, format=format)),
        known=known,
        staged=staged,
        errors=errors,
        called={path.name: name or path.name},
        progress=progress,
    )


def import_passages(dataset: Dataset, staged: Path, *, progress: Progress | None = None) -> None:
    """Write the staged rows, so that nobody works with half of them.

    A row whose id the dataset has is changed in place if its content differs; revisions keep
    their own copy of what they were made from. A file of ordinary size is written in one
    transaction. A large one would lock everybody else out of SQLite for minutes: it is written
    in batches, while the dataset is marked as not complete and no run can start on it; after a
    crash, doing it again completes it.
    """
    if staged.stat().st_size <= ONE_TRANSACTION_BYTES:
        with transaction.atomic():
            _lock(dataset)
            for some in batches(staged_rows(staged)):
                _write(dataset, some)
            _count(dataset)
        return
    Dataset.objects.filter(pk=dataset.pk).update(is_complete=False)
    done = 0
    for some in batches(staged_rows(staged)):
        with transaction.atomic():
            _lock(dataset)
            _write(dataset, some)
        done += len(some)
        if progress:
            progress(done)
    dataset.is_complete = True
    _count(dataset)


def add_passages(dataset: Dataset, rows: list[PassageRow]) -> None:
    """Write a few rows at once, all or none; those whose id the dataset has are changed."""
    with transaction.atomic():
        _lock(dataset)
        _write(dataset, [row for row in _to_stage(rows) if not isinstance(row, RowError)])
        _count(dataset)


def accept_as_complete(dataset: Dataset) -> None:
    """Let runs use what an import that broke off has written."""
    dataset.is_complete = True
    _count(dataset)


def create_dataset(*, name: str, description: str = "", created_by: User | None = None) -> Dataset:
    """An empty dataset with a slug of its own."""
    return create_named(
        Dataset, name=name, fallback="dataset", description=description, created_by=created_by
    )


def find_dataset(name: str) -> Dataset | None:
    """The dataset of that slug or, failing it, of exactly that name."""
    return find_named(Dataset, name)


def _lock(dataset: Dataset) -> None:
    # Two imports into one dataset take turns: ids that both bring must not collide.
    Dataset.objects.select_for_update().get(pk=dataset.pk)


def _count(dataset: Dataset) -> None:
    dataset.passage_count = dataset.passages.count()
    dataset.save(update_fields=["passage_count", "is_complete"])


def _to_stage(rows: Iterable[PassageRow | RowError]) -> Iterator[Row | RowError]:
    for row in rows:
        if isinstance(row, RowError):
            yield row
        else:
            yield {
                "key": row.external_id,
                "hash": content_hash(row),
                "text": row.text,
                "context": row.context,
                "source": row.source,
            }


def _write(dataset: Dataset, rows: list[Row]) -> None:
    stored = {
        passage.external_id: passage
        for passage in Passage.objects.filter(
            dataset=dataset, external_id__in=[row["key"] for row in rows]
        ).only("external_id", "content_hash")
    }
    new: list[Passage] = []
    changed: list[Passage] = []
    for row in rows:
        passage = stored.get(row["key"])
        if passage is None:
            passage = Passage(dataset=dataset, external_id=row["key"])
            new.append(passage)
        elif passage.content_hash != row["hash"]:
            changed.append(passage)
        else:
            continue
        passage.text, passage.context = row["text"], row["context"]
        passage.source, passage.content_hash = row["source"], row["hash"]
    Passage.objects.bulk_create(new)
    Passage.objects.bulk_update(
        changed, ["text", "context", "source", "content_hash"], batch_size=100
    )
