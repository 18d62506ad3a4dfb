"""Files of uploads."""

import shutil
import time
import uuid
import zipfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse

from pipeline.data.staging import ERROR_COLUMNS
from pipeline.importing.corpus_files import SUFFIXES
from pipeline.jobs.runner import failure_sentence
from pipeline.models import Upload

ABANDONED_SECONDS = 24 * 3600
"""A file being written changes more often."""


class UploadRefused(Exception):
    """An impossible step of an upload."""


def folder() -> Path:
    return Path(settings.UPLOAD_DIR)


def file_path(upload: Upload) -> Path:
    """Return the uploaded file's path; the file is removed after the import."""
    return folder() / upload.stored_name


def rows_path(upload: Upload) -> Path:
    """Return the staged rows' path; the file is removed after the import."""
    return folder() / f"{upload.stored_name}.rows.jsonl"


def errors_path(upload: Upload) -> Path:
    return folder() / f"{upload.stored_name}.errors.csv"


def errors_response(upload: Upload) -> FileResponse:
    """Send the table of all errors, perhaps without rows."""
    path = errors_path(upload)
    file = path.open("rb") if path.exists() else BytesIO(",".join(ERROR_COLUMNS).encode())
    return FileResponse(
        file,
        as_attachment=True,
        filename=f"errors-of-upload-{upload.pk}.csv",
        content_type="text/csv; charset=utf-8",
    )


def paths_of(upload: Upload) -> list[Path]:
    return [file_path(upload), rows_path(upload), errors_path(upload)]


def store_files(kind: Upload.Kind, files: "Sequence[UploadedFile[bytes]]") -> dict[str, Any]:
    """Write the files as one, and return columns of the upload; raises `UploadRefused`."""
    size = sum(file.size or 0 for file in files)
    if size > settings.UPLOAD_LIMIT_MB * 1_000_000:
        raise UploadRefused(
            f"The files have {size / 1_000_000:,.0f} MB, the limit is "
            f"{settings.UPLOAD_LIMIT_MB:,} MB. Split them, or use the command on the server."
        )
    names = [PurePosixPath(file.name or "file").name for file in files]
    if len(files) > 1:
        other = [name for name in names if _suffix(name) not in SUFFIXES]
        if other and kind == Upload.Kind.DOCUMENTS:
            raise UploadRefused(
                f"{other[0]} is no .txt, .md or .html file. Send JSON lines or a ZIP by itself."
            )
        if repeated := [name for name in names if names.count(name) > 1]:
            raise UploadRefused(f"Two files are called {repeated[0]}: rename one of them.")
    # An archive preserves the name, which becomes the document's id.
    pack = len(files) > 1 or (kind == Upload.Kind.DOCUMENTS and _suffix(files[0].name) in SUFFIXES)
    suffix = ".zip" if pack else _suffix(files[0].name)
    stored_name = uuid.uuid4().hex + suffix
    folder().mkdir(parents=True, exist_ok=True)
    path = folder() / stored_name
    try:
        if pack:
            with zipfile.ZipFile(path, "w") as archive:
                for name, file in zip(names, files, strict=True):
                    with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as packed:
                        packed.writelines(file.chunks())
        else:
            with path.open("wb") as out:
                out.writelines(files[0].chunks())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise UploadRefused(failure_sentence(error)) from error
    first = files[0].name or "file"
    return {
        "file_name": f"{first} and {len(files) - 1} more"[:255] if len(files) > 1 else first[-255:],
        "stored_name": stored_name,
        "size": size,
    }


def _suffix(name: str | None) -> str:
    """Return the suffix if a reader depends on it."""
    suffix = PurePosixPath(name or "").suffix.lower()
    return suffix if suffix in {*SUFFIXES, ".csv", ".tsv", ".jsonl", ".zip"} else ".data"


def forget_left_files() -> None:
    """Remove files that interrupted uploads left a day ago, also Django's own."""
    stored = [*folder().glob("*"), *Path(settings.VAR_DIR).glob("*.upload*")]
    left = [path for path in stored if _is_abandoned(path)]
    if not left:
        return
    known = set(Upload.objects.values_list("stored_name", flat=True))
    for path in left:
        if not any(f"{path.name}.".startswith(f"{name}.") for name in known):
            remove(path)


def _is_abandoned(path: Path) -> bool:
    try:
        return time.time() - path.lstat().st_mtime > ABANDONED_SECONDS
    except FileNotFoundError:
        return False


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
