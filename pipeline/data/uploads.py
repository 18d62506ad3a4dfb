"""Uploads into a dataset or a corpus: received, checked, confirmed, imported.

Workers check and import (`upload_jobs`); a small file is processed within the request.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from pipeline.data import datasets
from pipeline.data.source_pages import may_read_web
from pipeline.data.stored_files import (
    UploadRefused,
    file_path,
    folder,
    paths_of,
    rows_path,
    store_files,
)
from pipeline.data.upload_jobs import CHOICES, Reading
from pipeline.importing.packed_files import unpacked_bytes
from pipeline.importing.passages import TABLES
from pipeline.jobs import queue
from pipeline.models import Corpus, Dataset, Upload
from pipeline.models.bases import FREE
from rarrweb.accounts.models import User

SMALL_BYTES = 2_000_000
"""Up to this size, checked and imported within the request: a second or two."""
SMALL_UNPACKED_BYTES = 4_000_000
CHECK_AGAIN: dict[str, Any] = {
    "state": Upload.State.CHECKING,
    "new_count": 0,
    "same_count": 0,
    "changed_count": 0,
    "error_count": 0,
    "repeated_count": 0,
    "errors": [],
}
"""Columns of an upload whose check begins anew."""


def receive_upload(
    *,
    kind: Upload.Kind,
    files: "Sequence[UploadedFile[bytes]]",
    created_by: User,
    dataset: Dataset | None = None,
    corpus: Corpus | None = None,
    name: str = "",
    description: str = "",
    format: str = "auto",  # noqa: A002
    mapping: dict[str, str] | None = None,
    reading: dict[str, Any] | None = None,
) -> Upload:
    """Store uploaded files and check them.

    `mapping` and `reading` are as in `Upload`. Several files become one archive. Without `dataset`
    or `corpus`, the import creates one. Raises `UploadRefused` beyond the limit.
    """
    upload = Upload.objects.create(
        kind=kind,
        dataset=dataset,
        corpus=corpus,
        name=name,
        description=description,
        format=format,
        mapping=mapping or {},
        reading=reading or {},
        created_by=created_by,
        **store_files(kind, files),
    )
    _begin(upload)
    return upload


def replace_file(upload: Upload, files: "Sequence[UploadedFile[bytes]]") -> None:
    """Check another file, with the same columns if it has them.

    Raises `UploadRefused` if an import has begun, or beyond the limit.
    """
    if has_begun_import(upload):
        raise UploadRefused("Part of the file may be imported: try again, or discard the upload.")
    before = paths_of(upload)
    stored = store_files(Upload.Kind(upload.kind), files)
    idle = [Upload.State.CHECKED, Upload.State.FAILED]
    try:
        _queue(
            upload,
            idle,
            waits_for="a file",
            **CHECK_AGAIN,
            format="auto",
            reading={},
            columns=[],
            **stored,
        )
    except UploadRefused:
        (folder() / stored["stored_name"]).unlink(missing_ok=True)
        raise
    for path in before:
        path.unlink(missing_ok=True)


def choose_columns(
    upload: Upload,
    *,
    mapping: dict[str, str],
    format: str,  # noqa: A002
    reading: dict[str, Any] | None = None,
) -> None:
    """Check again as the user chose; raises `UploadRefused` unless checked.

    Another format, encoding, delimiter or header has columns of its own.
    """
    values: dict[str, Any] = {"reading": reading or {}, "format": format, "mapping": mapping}
    before = {name: upload.reading.get(name) for name in CHOICES}
    if format != upload.format or before != {name: values["reading"].get(name) for name in CHOICES}:
        values |= {"mapping": {}, "columns": []}
    elif mapping != upload.mapping and format not in TABLES:
        values["format"] = "auto"
    _queue(upload, [Upload.State.CHECKED], waits_for="its columns", **CHECK_AGAIN, **values)


def _queue(upload: Upload, states: list[Upload.State], *, waits_for: str, **values: Any) -> None:
    """Begin the next step of an upload in one of `states`; raises `UploadRefused` for another."""
    moved = Upload.objects.filter(pk=upload.pk, state__in=states).update(
        rows_done=0, lost_leases=0, failure="", finished_at=None, **values, **FREE
    )
    upload.refresh_from_db()
    if not moved:
        raise UploadRefused(f"This upload is not waiting for {waits_for} any more.")
    _begin(upload)


def has_begun_import(upload: Upload) -> bool:
    """Return whether its import failed and its staged rows still exist."""
    return (
        upload.state == Upload.State.FAILED
        and upload.import_count > 0
        and rows_path(upload).exists()
    )


def agree_to_import(upload: Upload, *, skip_invalid: bool = False) -> None:
    """Import the staged rows; with errors in the file, only with `skip_invalid`.

    Raises `UploadRefused`.
    """
    if upload.error_count and not skip_invalid:
        raise UploadRefused("The file has errors: correct it, or import its valid rows only.")
    if not upload.reading.get("is_sure", True):
        raise UploadRefused("Choose what the columns become, and check again.")
    if not upload.import_count:
        raise UploadRefused("There is nothing to import: every row is known already, or wrong.")
    to_import = Upload.State.IMPORTING
    _queue(upload, [Upload.State.CHECKED], waits_for="confirmation", state=to_import)


def retry_upload(upload: Upload, *, name: str = "") -> None:
    """Retry the failed import, or else the check; `name` renames the new dataset or corpus.

    Raises `UploadRefused`.
    """
    step = CHECK_AGAIN
    if has_begun_import(upload):
        step = {"state": Upload.State.IMPORTING, "name": name or upload.name}
    _queue(upload, [Upload.State.FAILED], waits_for="a retry", **step)


def discard_upload(upload: Upload) -> None:
    """Delete an idle upload with its files. Raises `UploadRefused`."""
    idle = [Upload.State.CHECKED, Upload.State.FAILED, Upload.State.DONE]
    deleted, _ = Upload.objects.filter(pk=upload.pk, state__in=idle).delete()
    if not deleted:
        raise UploadRefused("A worker is processing this upload: wait until it is done.")
    if upload.dataset and has_begun_import(upload) and not upload.dataset.is_complete:
        datasets.accept_as_complete(upload.dataset)
    for path in paths_of(upload):
        path.unlink(missing_ok=True)


def is_small(upload: Upload) -> bool:
    small = upload.size <= SMALL_BYTES
    return small and unpacked_bytes(file_path(upload)) <= SMALL_UNPACKED_BYTES


def _reads_web(upload: Upload) -> bool:
    """Return whether the check may read web pages, which can take minutes."""
    is_checking = upload.kind == Upload.Kind.PASSAGES and upload.state == Upload.State.CHECKING
    path = file_path(upload)
    if not is_checking or not may_read_web() or not path.exists():
        return False
    return b'"http' in path.read_bytes().lower()


def _begin(upload: Upload) -> None:
    if is_small(upload) and not _reads_web(upload):
        Reading().run(upload.pk)
        upload.refresh_from_db()
    else:
        transaction.on_commit(partial(queue.send, queue.READ_UPLOAD, [upload.pk]))
