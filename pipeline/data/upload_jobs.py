"""Jobs that check and import uploads."""

import logging
import socket
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.data import corpora, datasets
from pipeline.data.staging import Progress
from pipeline.data.stored_files import errors_path, file_path, folder, rows_path
from pipeline.importing.columns import (
    DOCUMENT_FIELDS,
    IGNORED,
    METADATA,
    PASSAGE_FIELDS,
    roles_of,
)
from pipeline.importing.corpus_files import inspect_table
from pipeline.importing.file_shape import FileShape
from pipeline.importing.passages import MAPPABLE, inspect_file
from pipeline.importing.rows import Fault, UnreadableFile
from pipeline.jobs import leases, queue
from pipeline.jobs.runner import JobRunner
from pipeline.models import Corpus, Dataset, Upload

logger = logging.getLogger(__name__)

PROGRESS_EVERY = 2_000
CHOICES = ("encoding", "delimiter", "has_header")
"""What can be chosen about the whole file."""
READING = (*CHOICES, "dialog", "update")
FIXED = {
    "hagrid": {"query": "context", "query_id": "id", "quotes": "sources", "answers": "text"},
    "alce": {"question": "context", "docs": "sources", "output": "text", "sample_id": "id"},
    "rarr": {
        "input_info.claim": "text",
        "input_info.model_outputs_explanation": "text",
        "input_info.context": "context",
        "id": "id",
        "result.revisions": "revision",
        "result.selected_evidences": "sources",
    },
}
"""What the keys of a fixed format become."""
FIELDS = {Upload.Kind.PASSAGES: PASSAGE_FIELDS, Upload.Kind.DOCUMENTS: DOCUMENT_FIELDS}


class Reading(JobRunner[Upload]):
    model = Upload
    tasks = (queue.READ_UPLOAD,)

    def waiting(self) -> QuerySet[Upload]:
        working = [Upload.State.CHECKING, Upload.State.IMPORTING]
        return Upload.objects.filter(state__in=working, lease_until=None)

    def work(self, job: Upload, lease: leases.Lease) -> dict[str, Any]:
        is_new = job.state == Upload.State.CHECKING
        if not (file_path(job) if is_new else rows_path(job)).exists():
            logger.error(
                "upload %s: there is no file for it in %s on %s. Where several machines serve and "
                "work, RARR_VAR has to be one folder",
                job.pk,
                folder(),
                socket.gethostname(),
            )
            raise UnreadableFile(
                "There is no file for it where it is read. An administrator can see the reason in "
                "the log; then choose the file again."
            )
        return _check(job, lease) if is_new else _import(job, lease)

    def ended(self, job: Upload, end: Mapping[str, Any]) -> None:
        if end["state"] == Upload.State.DONE:
            file_path(job).unlink(missing_ok=True)
            rows_path(job).unlink(missing_ok=True)

    def crash_message(self, job: Upload) -> str:
        far = f", the second time beyond row {job.rows_done:,}" if job.rows_done else ""
        return leases.crash_sentence(
            f"this file{far}", fix="Send it in smaller parts, to find the one that does it."
        )


def _check(upload: Upload, lease: leases.Lease) -> dict[str, Any]:
    # Unique names: a worker that lost its claim may still be writing.
    staged = folder() / f"{upload.stored_name}.{uuid.uuid4().hex[:8]}.rows"
    errors = staged.with_suffix(".errors")
    files: dict[str, Any] = {
        "staged": staged,
        "errors": errors,
        # Errors use the original name.
        "called": {upload.stored_name: upload.file_name},
        "progress": _store_progress(lease, known=upload.rows_done),
        "update": upload.reading.get("update", False),
    }
    path = file_path(upload)
    try:
        shape = _inspect(upload, path)
        reading = upload.reading
        if shape:
            is_sure = shape.is_sure and (shape.has_header is not False or "has_header" in reading)
            reading = {
                **reading,
                "repeated_id": shape.repeated_id,
                "is_sure": is_sure,
                **shape.reading,
            }
            files["reading"] = _chosen(reading) | {
                "columns": shape.columns,
                "sources": shape.sources,
            }
        if upload.kind == Upload.Kind.PASSAGES:
            if shape:
                ignored = [name for name, role in upload.mapping.items() if role == IGNORED]
                files["reading"] |= {
                    "format": shape.format,
                    "ignored": ignored,
                    "dialog": reading.get("dialog", False),
                }
            check = datasets.check_passages(upload.dataset, path, **files)
        else:
            check = corpora.check_documents(upload.corpus, path, **files)
        lease.confirm()
        staged.replace(rows_path(upload))
        if check.wrong:
            errors.replace(errors_path(upload))
    finally:
        staged.unlink(missing_ok=True)
        errors.unlink(missing_ok=True)
    return {
        "state": Upload.State.CHECKED,
        "format": shape.format if shape and shape.format else upload.format,
        "reading": {**reading, "late": [*check.notes.late][:20]},
        **(_columns(upload, shape) if shape else {"columns": [], "mapping": {}}),
        "rows_done": check.rows,
        "new_count": check.new,
        "same_count": check.same,
        "changed_count": check.changed,
        "error_count": check.wrong,
        "repeated_count": check.notes.equal,
        "errors": [{**asdict(error), "sentence": str(error)} for error in check.errors],
    }


def _inspect(upload: Upload, path: Path) -> FileShape | None:
    """Return how the file is read; None for texts, or a file that cannot be read."""
    chosen = _chosen(upload.reading)
    columns = dict.fromkeys(FIELDS[Upload.Kind(upload.kind)], "") if upload.columns else {}
    columns |= {role: name for name, role in upload.mapping.items()}
    with suppress(Fault):
        if upload.kind == Upload.Kind.DOCUMENTS:
            return inspect_table(path, columns=columns, **chosen)
        sources = [name for name, role in upload.mapping.items() if role == "sources"]
        return inspect_file(path, format=upload.format, columns=columns, sources=sources, **chosen)
    return None


def _chosen(reading: Mapping[str, Any]) -> dict[str, Any]:
    return {name: reading[name] for name in CHOICES if name in reading}


def _columns(upload: Upload, shape: FileShape) -> dict[str, Any]:
    """Return the columns with values, and what each becomes."""
    names = [name for name in shape.names if name in shape.samples]
    is_passages = upload.kind == Upload.Kind.PASSAGES
    roles = roles_of(
        shape.columns,
        names=names,
        sources=shape.sources,
        ignored=[name for name, role in upload.mapping.items() if role == IGNORED],
        other=METADATA if is_passages else IGNORED,
    )
    roles |= {name: role for name, role in FIXED.get(shape.format, {}).items() if name in roles}
    columns = [
        {
            "name": name,
            "samples": shape.samples[name],
            "is_long": name in shape.long_texts,
            "is_unique": name in shape.id_columns,
        }
        for name in names
    ]
    return {"columns": columns, "mapping": roles}


def _import(upload: Upload, lease: leases.Lease) -> dict[str, Any]:
    target = _target(upload, lease)
    rows, progress = rows_path(upload), _store_progress(lease, known=upload.rows_done)
    if isinstance(target, Dataset):
        origin = datasets.Origin.of(
            file_path(upload), file_name=upload.file_name, created_by=upload.created_by
        )
        datasets.import_passages(
            target, rows, progress=progress, confirm=lease.confirm, origin=origin
        )
    else:
        corpora.import_documents(target, rows, progress=progress, confirm=lease.confirm)
        queue.queue_indexing(target)
    return {"state": Upload.State.DONE, "finished_at": timezone.now()}


@transaction.atomic
def _target(upload: Upload, lease: leases.Lease) -> Dataset | Corpus:
    """Return the dataset or corpus for the rows, created if needed.

    Stored in the upload in the same transaction, so that a retry uses it.
    """
    if existing := upload.dataset or upload.corpus:
        return existing
    is_passages = upload.kind == Upload.Kind.PASSAGES
    create = datasets.create_dataset if is_passages else corpora.create_corpus
    target = create(name=upload.name, description=upload.description, created_by=upload.created_by)
    lease.mine.update(**{"dataset" if is_passages else "corpus": target})
    lease.confirm()
    return target


def _store_progress(lease: leases.Lease, *, known: int) -> Progress:
    """Make a function that stores progress at intervals; it stops a job that lost its lease.

    `known` is the progress of an earlier try; lost leases count only up to it.
    """
    due = PROGRESS_EVERY

    def store(done: int) -> None:
        nonlocal due
        if done >= due:
            due = done + PROGRESS_EVERY
            lease.confirm()
            further = {"lost_leases": 0} if done > known else {}
            lease.mine.update(rows_done=done, **further)

    return store


def can_be_mapped(upload: Upload) -> bool:
    """Return whether the user can choose what its columns become."""
    return upload.kind == Upload.Kind.DOCUMENTS or upload.format in MAPPABLE
