"""A person's file on its way into a dataset or a corpus: received, checked, agreed to, imported.

`process_upload` is a worker's job that checks or imports, as the upload's state says; a small
file is processed within the request.
"""

import logging
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import OperationalError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from pipeline.data import corpora, datasets
from pipeline.data.slugs import NameTaken
from pipeline.data.staging import error_to_plain, failure_sentence
from pipeline.data.stored_files import (
    UploadRefused,
    errors_path,
    file_path,
    folder,
    rows_path,
    store_files,
)
from pipeline.importing.columns import (
    DOCUMENT_FIELDS,
    PASSAGE_FIELDS,
    guess_columns,
    names_of,
    read_beginning,
)
from pipeline.importing.corpus_files import table_format, unpacked_bytes
from pipeline.importing.passages import TABLES, detect_format
from pipeline.importing.rows import Fault
from pipeline.jobs import leases, queue
from pipeline.models import Corpus, Dataset, Upload
from rarrweb.accounts.models import User

logger = logging.getLogger(__name__)

SMALL_BYTES = 2_000_000
"""Files up to this size are checked and imported within the request: a second or two."""
SMALL_UNPACKED_BYTES = 4_000_000
PROGRESS_EVERY = 2_000
FIELDS = {Upload.Kind.PASSAGES: PASSAGE_FIELDS, Upload.Kind.DOCUMENTS: DOCUMENT_FIELDS}
FREE: dict[str, Any] = {"claim": "", "lease_until": None}
"""The columns of an upload that no worker has claimed."""


def receive_upload(
    *,
    kind: Upload.Kind,
    files: "Sequence[UploadedFile[bytes]]",
    created_by: User,
    dataset: Dataset | None = None,
    corpus: Corpus | None = None,
    name: str = "",
    description: str = "",
) -> Upload:
    """Store what a person sent, under our own name for it, and begin to check it.

    Several files become one archive. Without `dataset` or `corpus`, the import makes one
    called `name`. Raises `UploadRefused` for more than the limit.
    """
    upload = Upload.objects.create(
        kind=kind,
        dataset=dataset,
        corpus=corpus,
        name=name,
        description=description,
        created_by=created_by,
        **store_files(kind, files),
    )
    _begin(upload)
    return upload


def replace_file(upload: Upload, files: "Sequence[UploadedFile[bytes]]") -> None:
    """Check another file in place of the upload's own, with the same columns where it has them.

    Raises `UploadRefused` if an import has begun, or for more than the limit.
    """
    if can_try_again(upload):
        raise UploadRefused("Part of the file may be imported: try again, or discard the upload.")
    before = [file_path(upload), rows_path(upload), errors_path(upload)]
    stored = store_files(Upload.Kind(upload.kind), files)
    idle = [Upload.State.CHECKED, Upload.State.FAILED]
    if not _check_again(upload, idle, format="auto", **stored):
        (folder() / stored["stored_name"]).unlink(missing_ok=True)
        raise UploadRefused("This upload is not waiting for a file any more.")
    for path in before:
        path.unlink(missing_ok=True)
    _begin(upload)


def choose_columns(
    upload: Upload,
    *,
    mapping: dict[str, str],
    format: str,  # noqa: A002
) -> None:
    """Check a file again, in another format or with other columns for the fields.

    Raises `UploadRefused` if the upload is not checked.
    """
    if format != upload.format:
        mapping = {}
    if not _check_again(upload, [Upload.State.CHECKED], mapping=mapping, format=format):
        raise UploadRefused("This upload is not waiting for its columns any more.")
    _begin(upload)


def _check_again(upload: Upload, idle: list[Upload.State], **values: Any) -> bool:
    """Let an idle upload be checked with these values; False if it is not idle."""
    found = Upload.objects.filter(pk=upload.pk, state__in=idle).update(
        state=Upload.State.CHECKING,
        rows_done=0,
        lost_leases=0,
        new_count=0,
        same_count=0,
        changed_count=0,
        error_count=0,
        errors=[],
        failure="",
        finished_at=None,
        **values,
        **FREE,
    )
    upload.refresh_from_db()
    return bool(found)


def can_try_again(upload: Upload) -> bool:
    """Whether a failed import still has its checked rows."""
    return (
        upload.state == Upload.State.FAILED
        and upload.import_count > 0
        and rows_path(upload).exists()
    )


def agree_to_import(upload: Upload, *, valid_rows_only: bool = False) -> None:
    """Import the staged rows, or try a failed import again.

    A file with errors is imported only with `valid_rows_only`. Raises `UploadRefused` if the
    upload is not checked, has errors, or nothing to write.
    """
    if upload.error_count and not valid_rows_only and upload.state == Upload.State.CHECKED:
        raise UploadRefused("The file has errors: mend it, or import its valid rows only.")
    if not upload.import_count:
        raise UploadRefused("There is nothing to import: every row is there already, or wrong.")
    ready = [Upload.State.CHECKED]
    if can_try_again(upload):
        ready.append(Upload.State.FAILED)
    agreed = Upload.objects.filter(pk=upload.pk, state__in=ready).update(
        state=Upload.State.IMPORTING, rows_done=0, lost_leases=0, failure="", **FREE
    )
    if not agreed:
        raise UploadRefused("This upload is not waiting for a yes any more.")
    upload.refresh_from_db()
    _begin(upload)


def namesake_of(upload: Upload) -> Dataset | Corpus | None:
    """The dataset or corpus that already has the name an upload wants for a new one."""
    if upload.dataset or upload.corpus:
        return None
    model = Dataset if upload.kind == Upload.Kind.PASSAGES else Corpus
    found: Dataset | Corpus | None = model.objects.filter(name=upload.name).first()
    return found


def rename_target(upload: Upload, name: str) -> None:
    """Give a checked upload another name for what it makes. Raises `UploadRefused`."""
    renamed = Upload(kind=upload.kind, name=name)
    if found := namesake_of(renamed):
        noun = found._meta.verbose_name
        raise UploadRefused(f"There is a {noun} called {name} too: choose another name.")
    _settle_target(upload, name=name)


def add_to_namesake(upload: Upload) -> None:
    """Let a checked upload add to what already has its name, and check it again for that.

    Raises `UploadRefused`.
    """
    found = namesake_of(upload)
    if found is None:
        raise UploadRefused("This upload is not waiting for an answer any more.")
    _settle_target(
        upload,
        state=Upload.State.CHECKING,
        rows_done=0,
        lost_leases=0,
        **{"dataset" if isinstance(found, Dataset) else "corpus": found},
    )
    _begin(upload)


def _settle_target(upload: Upload, **values: Any) -> None:
    waiting = Upload.objects.filter(
        pk=upload.pk, state=Upload.State.CHECKED, dataset=None, corpus=None
    )
    if not waiting.update(**values):
        raise UploadRefused("This upload is not waiting for an answer any more.")
    upload.refresh_from_db()


def discard_upload(upload: Upload) -> None:
    """Delete an idle upload with its files. Raises `UploadRefused`."""
    idle = [Upload.State.CHECKED, Upload.State.FAILED, Upload.State.DONE]
    deleted, _ = Upload.objects.filter(pk=upload.pk, state__in=idle).delete()
    if not deleted:
        raise UploadRefused("A worker is at this upload: wait until it is done.")
    if upload.dataset and can_try_again(upload) and not upload.dataset.is_complete:
        datasets.accept_as_complete(upload.dataset)
    for path in (file_path(upload), rows_path(upload), errors_path(upload)):
        path.unlink(missing_ok=True)


def waiting_uploads() -> QuerySet[Upload]:
    """Uploads that wait for a worker, or whose worker died and let its lease run out."""
    left_behind = Q(lease_until=None) | Q(lease_until__lt=timezone.now())
    return Upload.objects.filter(
        left_behind, state__in=[Upload.State.CHECKING, Upload.State.IMPORTING]
    )


def process_upload(upload_id: int) -> bool:
    """Check or import an upload, as its state says; False if another worker is doing it.

    Safe to call at any time, also after a crash. The row tells how it ended.
    """
    token = leases.claim(waiting_uploads(), upload_id)
    if not token:
        return False
    upload = Upload.objects.get(pk=upload_id)
    mine = leases.where_mine(Upload, upload_id, token)
    if upload.lost_leases >= leases.MOST_LOST:
        _fail(mine, _set_aside(upload))
        return True
    try:
        with leases.renewed(Upload, upload_id, token) as lease:
            if upload.state == Upload.State.CHECKING:
                _check(upload, mine, lease)
            else:
                _import(upload, mine, lease)
    except leases.LeaseLost as lost:
        logger.warning("the work stops: %s", lost)
        return False
    except NameTaken:
        # Nothing is written yet: the person chooses to add to that one, or another name.
        mine.update(state=Upload.State.CHECKED, **FREE)
    except OperationalError:
        logger.exception("upload %s: the database is away, the sweep tries again", upload_id)
        return False
    except Exception as error:
        logger.exception("upload %s failed", upload_id)
        _fail(mine, failure_sentence(error))
    return True


def _fail(mine: QuerySet[Upload], failure: str) -> None:
    mine.update(state=Upload.State.FAILED, failure=failure, finished_at=timezone.now(), **FREE)


def _set_aside(upload: Upload) -> str:
    far = f", the second time beyond row {upload.rows_done:,}" if upload.rows_done else ""
    return leases.set_aside_sentence(
        f"this file{far}", fix="Send it in smaller parts, to find the one that does it."
    )


def is_small(upload: Upload) -> bool:
    """Whether its job takes no more than a second or two."""
    small = upload.size <= SMALL_BYTES
    return small and unpacked_bytes(file_path(upload)) <= SMALL_UNPACKED_BYTES


def _begin(upload: Upload) -> None:
    if is_small(upload):
        process_upload(upload.pk)
        upload.refresh_from_db()
    else:
        queue.queue_upload(upload)


def _check(upload: Upload, mine: QuerySet[Upload], lease: leases.Lease) -> None:
    # Unique names, renamed at the end: a worker that lost its claim may still be writing.
    staged = folder() / f"{upload.stored_name}.{uuid.uuid4().hex[:8]}.rows"
    errors = staged.with_suffix(".errors")
    files: dict[str, Any] = {
        "staged": staged,
        "errors": errors,
        # Errors use the person's name for the file, not the one it has here.
        "called": {upload.stored_name: upload.file_name},
        "progress": _Progress(mine, lease),
    }
    path = file_path(upload)
    try:
        format_, names, mapping = _look_at(upload, path)
        files["columns"] = mapping
        if upload.kind == Upload.Kind.PASSAGES:
            check = datasets.check_passages(upload.dataset, path, format=format_, **files)
        else:
            check = corpora.check_documents(upload.corpus, path, **files)
        lease.confirm()
        staged.replace(rows_path(upload))
        if check.wrong:
            errors.replace(errors_path(upload))
    finally:
        staged.unlink(missing_ok=True)
        errors.unlink(missing_ok=True)
    mine.update(
        state=Upload.State.CHECKED,
        format=format_,
        columns=names,
        mapping=mapping,
        rows_done=check.rows,
        new_count=check.new,
        same_count=check.same,
        changed_count=check.changed,
        error_count=check.wrong,
        errors=[error_to_plain(error) for error in check.errors],
        **FREE,
    )


def _look_at(upload: Upload, path: Path) -> tuple[str, list[str], dict[str, str]]:
    """The file's format, its columns, and which of them hold what; none where all is fixed."""
    found = format_ = upload.format
    if upload.kind == Upload.Kind.DOCUMENTS:
        found = table_format(path)
    elif format_ == "auto":
        try:
            found = format_ = detect_format(path, text=None)
        except Fault:
            return format_, [], {}
    if found not in TABLES:
        return format_, [], {}
    rows = read_beginning(path, format=found)
    fields = FIELDS[Upload.Kind(upload.kind)]
    if not (names := names_of(rows)):
        return format_, [], {}
    return format_, names, guess_columns(rows, fields=fields, chosen=upload.mapping)


def _import(upload: Upload, mine: QuerySet[Upload], lease: leases.Lease) -> None:
    target = _target(upload, mine, lease)
    rows, progress = rows_path(upload), _Progress(mine, lease)
    if isinstance(target, Dataset):
        datasets.import_passages(target, rows, progress=progress, confirm=lease.confirm)
    else:
        corpora.import_documents(target, rows, progress=progress, confirm=lease.confirm)
        queue.queue_indexing(target)
    if mine.update(state=Upload.State.DONE, finished_at=timezone.now(), **FREE):
        file_path(upload).unlink(missing_ok=True)
        rows.unlink(missing_ok=True)


@transaction.atomic
def _target(upload: Upload, mine: QuerySet[Upload], lease: leases.Lease) -> Dataset | Corpus:
    """The dataset or corpus for the rows, made now if the upload names a new one.

    The upload notes it in the same transaction, so that a second try goes on with the same one.
    """
    if found := upload.dataset or upload.corpus:
        return found
    is_passages = upload.kind == Upload.Kind.PASSAGES
    create = datasets.create_dataset if is_passages else corpora.create_corpus
    target = create(name=upload.name, description=upload.description, created_by=upload.created_by)
    mine.update(**{"dataset" if is_passages else "corpus": target})
    lease.confirm()
    return target


class _Progress:
    """Stores how far a job is, but not for every row; stops a job that lost its lease."""

    def __init__(self, mine: QuerySet[Upload], lease: leases.Lease) -> None:
        self._mine = mine
        self._lease = lease
        self._next = PROGRESS_EVERY

    def __call__(self, done: int) -> None:
        if done >= self._next:
            self._next = done + PROGRESS_EVERY
            self._lease.confirm()
            self._mine.update(rows_done=done)
