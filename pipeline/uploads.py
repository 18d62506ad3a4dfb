"""A file's way from a person's hands into a dataset or a corpus.

Received, checked, agreed to, imported. Checking and importing are one job of a worker,
`process_upload`, that the upload's state steers; a small file is done within the request.
"""

import logging
import uuid
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import OperationalError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from pipeline import corpora, datasets, launch, leases
from pipeline.importing.corpus_files import SUFFIXES
from pipeline.models import Corpus, Dataset, Upload
from pipeline.staging import error_to_plain, failure_sentence
from rarrweb.accounts.models import User

logger = logging.getLogger(__name__)

SMALL_BYTES = 2_000_000
"""Files up to here are checked and imported while the person waits: a second or two."""
SMALL_UNPACKED_BYTES = 4_000_000
PROGRESS_EVERY = 2_000


class UploadRefused(Exception):
    """A step of an upload cannot be taken; the message says why, in plain sentences."""


def receive_upload(
    *,
    kind: Upload.Kind,
    files: Sequence[UploadedFile],
    created_by: User,
    dataset: Dataset | None = None,
    corpus: Corpus | None = None,
    name: str = "",
    description: str = "",
    format: str = "auto",  # noqa: A002
) -> Upload:
    """Keep what a person sent, under a name of our own, and begin to check it.

    Several files become one archive. Without `dataset` or `corpus`, the import makes one
    called `name`. Raises `UploadRefused` for more than the limit.
    """
    size = sum(file.size or 0 for file in files)
    if size > settings.UPLOAD_LIMIT_MB * 1_000_000:
        raise UploadRefused(
            f"The files have {size / 1_000_000:,.0f} MB, the limit is "
            f"{settings.UPLOAD_LIMIT_MB:,} MB. Split them, or use the command on the server."
        )
    if kind == Upload.Kind.DOCUMENTS and len(files) > 1:
        _refuse_other_kinds(files)
    # A text's own name becomes its document's id, so it is kept, inside an archive.
    pack = len(files) > 1 or (kind == Upload.Kind.DOCUMENTS and _suffix(files[0].name) in SUFFIXES)
    suffix = ".zip" if pack else _suffix(files[0].name)
    stored_name = uuid.uuid4().hex + suffix
    folder().mkdir(parents=True, exist_ok=True)
    path = folder() / stored_name
    try:
        if pack:
            _pack(files, path)
        else:
            with path.open("wb") as out:
                for chunk in files[0].chunks():
                    out.write(chunk)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise UploadRefused(failure_sentence(error)) from error
    first = files[0].name or "file"
    upload = Upload.objects.create(
        kind=kind,
        dataset=dataset,
        corpus=corpus,
        name=name,
        description=description,
        format=format,
        file_name=f"{first} and {len(files) - 1} more"[:255] if len(files) > 1 else first[-255:],
        stored_name=stored_name,
        size=size,
        created_by=created_by,
    )
    _begin(upload)
    return upload


def can_try_again(upload: Upload) -> bool:
    """Whether an import that failed still has its checked rows."""
    return (
        upload.state == Upload.State.FAILED
        and upload.import_count > 0
        and rows_path(upload).exists()
    )


def agree_to_import(upload: Upload, *, valid_rows_only: bool = False) -> None:
    """Import what the check has set aside, or try again an import that failed.

    A file with errors is imported only where the person says that its valid rows will do.
    Raises `UploadRefused` when the upload is not checked, has errors, or nothing to write.
    """
    if upload.error_count and not valid_rows_only and upload.state == Upload.State.CHECKED:
        raise UploadRefused("The file has errors: mend it, or import its valid rows only.")
    if not upload.import_count:
        raise UploadRefused("There is nothing to import: every row is there already, or wrong.")
    ready = [Upload.State.CHECKED]
    if can_try_again(upload):
        ready.append(Upload.State.FAILED)
    agreed = Upload.objects.filter(pk=upload.pk, state__in=ready).update(
        state=Upload.State.IMPORTING, rows_done=0, claim="", lease_until=None, failure=""
    )
    if not agreed:
        raise UploadRefused("This upload is not waiting for a yes any more.")
    upload.refresh_from_db()
    _begin(upload)


def discard_upload(upload: Upload) -> None:
    """Forget an upload that nobody works on, with its files. Raises `UploadRefused`."""
    idle = [Upload.State.CHECKED, Upload.State.FAILED, Upload.State.DONE]
    deleted, _ = Upload.objects.filter(pk=upload.pk, state__in=idle).delete()
    if not deleted:
        raise UploadRefused("A worker is at this upload: wait until it is done.")
    if upload.dataset and can_try_again(upload) and not upload.dataset.is_complete:
        datasets.accept_as_complete(upload.dataset)
    for path in (file_path(upload), rows_path(upload), errors_path(upload)):
        path.unlink(missing_ok=True)


def waiting_uploads() -> QuerySet[Upload]:
    """Uploads that wait for a worker, or whose worker died with its lease."""
    left_behind = Q(lease_until=None) | Q(lease_until__lt=timezone.now())
    return Upload.objects.filter(
        left_behind, state__in=[Upload.State.CHECKING, Upload.State.IMPORTING]
    )


def process_upload(upload_id: int) -> bool:
    """Check or import an upload, as its state asks; False when another worker is at it.

    Safe to call at any time and again after a crash. How it ended stands in the row.
    """
    token = leases.claim(waiting_uploads(), upload_id)
    if not token:
        return False
    upload = Upload.objects.get(pk=upload_id)
    mine = leases.where_mine(Upload, upload_id, token)
    try:
        with leases.renewed(Upload, upload_id, token):
            if upload.state == Upload.State.CHECKING:
                _check(upload, mine)
            else:
                _import(upload, mine)
    except OperationalError:
        logger.exception("upload %s: the database is away, the sweep tries again", upload_id)
        return False
    except Exception as error:
        logger.exception("upload %s failed", upload_id)
        mine.update(
            state=Upload.State.FAILED,
            failure=failure_sentence(error),
            finished_at=timezone.now(),
            claim="",
            lease_until=None,
        )
    return True


def is_small(upload: Upload) -> bool:
    """Whether its job is a matter of a second or two."""
    if upload.size > SMALL_BYTES:
        return False
    path = file_path(upload)
    if not zipfile.is_zipfile(path):
        return True
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(info.file_size for info in archive.infolist())
    except (zipfile.BadZipFile, OSError):
        return True  # the check says what is wrong with it
    return unpacked <= SMALL_UNPACKED_BYTES


def folder() -> Path:
    return Path(settings.UPLOAD_DIR)


def file_path(upload: Upload) -> Path:
    """What the person sent; gone once it is imported."""
    return folder() / upload.stored_name


def rows_path(upload: Upload) -> Path:
    """The rows that the check has set aside; gone once they are imported."""
    return folder() / f"{upload.stored_name}.rows.jsonl"


def errors_path(upload: Upload) -> Path:
    """All errors of the check, as CSV."""
    return folder() / f"{upload.stored_name}.errors.csv"


def _begin(upload: Upload) -> None:
    if is_small(upload):
        process_upload(upload.pk)
        upload.refresh_from_db()
    else:
        launch.queue_upload(upload)


def _check(upload: Upload, mine: QuerySet[Upload]) -> None:
    # Under names of this try's own, then moved: a worker that lost its claim may still write.
    staged = folder() / f"{upload.stored_name}.{uuid.uuid4().hex[:8]}.rows"
    errors = staged.with_suffix(".errors")
    progress = _Progress(mine)
    try:
        # Errors name the file as the person calls it, not as it lies here.
        if upload.kind == Upload.Kind.PASSAGES:
            check = datasets.check_passages(
                upload.dataset,
                file_path(upload),
                format=upload.format,
                staged=staged,
                errors=errors,
                name=upload.file_name,
                progress=progress,
            )
        else:
            check = corpora.check_documents(
                upload.corpus,
                file_path(upload),
                staged=staged,
                errors=errors,
                name=upload.file_name,
                progress=progress,
            )
        staged.replace(rows_path(upload))
        if check.wrong:
            errors.replace(errors_path(upload))
    finally:
        staged.unlink(missing_ok=True)
        errors.unlink(missing_ok=True)
    mine.update(
        state=Upload.State.CHECKED,
        rows_done=check.rows,
        new_count=check.new,
        same_count=check.same,
        changed_count=check.changed,
        error_count=check.wrong,
        errors=[error_to_plain(error) for error in check.errors],
        claim="",
        lease_until=None,
    )


def _import(upload: Upload, mine: QuerySet[Upload]) -> None:
    target = _target(upload, mine)
    if isinstance(target, Dataset):
        datasets.import_passages(target, rows_path(upload), progress=_Progress(mine))
    else:
        corpora.import_documents(target, rows_path(upload), progress=_Progress(mine))
        launch.queue_indexing(target)
    if mine.update(state=Upload.State.DONE, finished_at=timezone.now(), claim="", lease_until=None):
        file_path(upload).unlink(missing_ok=True)
        rows_path(upload).unlink(missing_ok=True)


@transaction.atomic
def _target(upload: Upload, mine: QuerySet[Upload]) -> Dataset | Corpus:
    """Where the rows go, made now if the upload names a new one.

    In one transaction with the note of it, so that a second try goes on with the same one.
    """
    if found := upload.dataset or upload.corpus:
        return found
    named = {"name": upload.name, "description": upload.description}
    if upload.kind == Upload.Kind.PASSAGES:
        dataset = datasets.create_dataset(created_by=upload.created_by, **named)
        mine.update(dataset=dataset)
        return dataset
    corpus = corpora.create_corpus(created_by=upload.created_by, **named)
    mine.update(corpus=corpus)
    return corpus


class _Progress:
    """Writes down how far a job is, but not at every row."""

    def __init__(self, mine: QuerySet[Upload]) -> None:
        self._mine = mine
        self._next = PROGRESS_EVERY

    def __call__(self, done: int) -> None:
        if done >= self._next:
            self._next = done + PROGRESS_EVERY
            self._mine.update(rows_done=done)


def _suffix(name: str | None) -> str:
    """The ending, if it is one that a reader goes by; readers look into all other files."""
    suffix = PurePosixPath(name or "").suffix.lower()
    return suffix if suffix in {*SUFFIXES, ".csv", ".tsv", ".jsonl", ".zip"} else ".data"


def _refuse_other_kinds(files: Sequence[UploadedFile]) -> None:
    other = [file.name for file in files if _suffix(file.name) not in SUFFIXES]
    if other:
        raise UploadRefused(
            f"{other[0]} is no .txt, .md or .html file. Send JSON lines or a ZIP by itself."
        )


def _pack(files: Sequence[UploadedFile], path: Path) -> None:
    names: set[str] = set()
    with zipfile.ZipFile(path, "w") as archive:
        for file in files:
            name = PurePosixPath(file.name or "file").name
            if name in names:
                raise UploadRefused(f"Two files are called {name}: rename one of them.")
            names.add(name)
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as out:
                for chunk in file.chunks():
                    out.write(chunk)
