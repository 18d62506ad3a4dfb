"""Import of datasets."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from django.db import transaction
from django.dispatch import Signal

from pipeline.data.slugs import create_named
from pipeline.data.source_pages import read_sources
from pipeline.data.staging import (
    Check,
    Confirm,
    Progress,
    StagedRow,
    batches,
    check_file,
    staged_rows,
    to_stage,
    write_batches,
    write_rows,
)
from pipeline.importing.passages import read_passages
from pipeline.importing.rows import PassageRow
from pipeline.models import Dataset, Passage
from rarrweb.accounts.models import User

passages_imported = Signal()
"""Sent by a dataset after an import, with the staged file and its `Origin`."""
ONE_TRANSACTION_BYTES = 16_000_000
"""Some 50,000 passages of three sentences, written in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The file of imported passages."""

    file_name: str
    sha256: str
    system: str = ""
    """The system of its revisions; "" if unknown."""
    created_by: User | None = None

    @classmethod
    def of(cls, path: Path, *, file_name: str = "", **values: Any) -> Self:
        return cls(file_name=file_name or path.name, sha256=_checksum(path), **values)


def check_passages(dataset: Dataset | None, path: Path, **options: Any) -> Check:
    """Check an import into `dataset` (None: a new one) by `check_file`."""
    stored = Passage.objects.filter(dataset=dataset)
    return check_file(path, read=read_passages, stored=stored, complete=read_sources, **options)


def import_passages(
    dataset: Dataset,
    staged: Path,
    *,
    progress: Progress | None = None,
    confirm: Confirm = lambda: None,
    origin: Origin | None = None,
) -> None:
    """Write the staged rows so that nobody works with a part of them.

    Changed rows are updated in place. A large file would lock SQLite for minutes in one
    transaction: it is written in batches while the dataset is incomplete and no run can start;
    after a crash, another import completes it. `confirm` ends each transaction, or undoes it by
    raising. An `origin` sends `passages_imported`.
    """
    is_large = staged.stat().st_size > ONE_TRANSACTION_BYTES

    def write(rows: list[StagedRow]) -> None:
        if is_large:
            # In each batch: another import may have completed it.
            Dataset.objects.filter(pk=dataset.pk).update(is_complete=False)
        write_rows(Passage, rows, parent=dataset)

    if is_large:
        write_batches(staged, write, model=Passage, progress=progress, confirm=confirm)
    with transaction.atomic():
        if is_large:
            accept_as_complete(dataset)
        else:
            for some in batches(staged_rows(staged)):
                write(some)
            _count(dataset)
        if origin:
            passages_imported.send(dataset, staged=staged, origin=origin)
        confirm()


def add_passages(dataset: Dataset, rows: list[PassageRow]) -> None:
    """Write a few rows, all or none; rows with the same ids are updated."""
    with transaction.atomic():
        write_rows(Passage, [to_stage(row) for row in rows], parent=dataset)
        _count(dataset)


def accept_as_complete(dataset: Dataset) -> None:
    """Let runs use an unfinished import."""
    dataset.is_complete = True
    dataset.save(update_fields=["is_complete"])
    _count(dataset)


def create_dataset(*, name: str, description: str = "", created_by: User | None = None) -> Dataset:
    """Raises `NameTaken`."""
    return create_named(
        Dataset, name=name, is_unique=True, description=description, created_by=created_by
    )


def _checksum(path: Path) -> str:
    """Return the SHA-256 of a file, or of a folder's files."""
    if not path.is_dir():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    checksum = hashlib.sha256()
    for each in sorted(path.rglob("*")):
        if each.is_file():
            name = each.relative_to(path).as_posix()
            checksum.update(f"{name}\0{_checksum(each)}\n".encode(errors="replace"))
    return checksum.hexdigest()


def _count(dataset: Dataset) -> None:
    dataset.passage_count = dataset.passages.count()
    dataset.save(update_fields=["passage_count"])
