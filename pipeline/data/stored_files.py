"""Where the files of an upload are, and the removal of files without an upload."""

import shutil
import time
from pathlib import Path

from django.conf import settings

from pipeline.models import Upload

ABANDONED_SECONDS = 24 * 3600
"""No file that is still being written stays unchanged for so long."""


def folder() -> Path:
    return Path(settings.UPLOAD_DIR)


def file_path(upload: Upload) -> Path:
    """The file that the person sent; removed after the import."""
    return folder() / upload.stored_name


def rows_path(upload: Upload) -> Path:
    """The rows that the check has staged; removed after the import."""
    return folder() / f"{upload.stored_name}.rows.jsonl"


def errors_path(upload: Upload) -> Path:
    """All errors of the check, as CSV."""
    return folder() / f"{upload.stored_name}.errors.csv"


def forget_left_files() -> None:
    """Remove what a web process or a command left in the folder of uploads a day ago.

    This includes the `.upload` files that earlier versions wrote during an upload.
    """
    lying = [*folder().glob("*"), *Path(settings.VAR_DIR).glob("*.upload*")]
    left = [path for path in lying if is_abandoned(path)]
    if not left:
        return
    known = set(Upload.objects.values_list("stored_name", flat=True))
    for path in left:
        # A check writes its files beside the upload's: STORED_NAME.rows.jsonl and others.
        if not any(path.name == name or path.name.startswith(f"{name}.") for name in known):
            remove(path)


def is_abandoned(path: Path) -> bool:
    try:
        return time.time() - path.lstat().st_mtime > ABANDONED_SECONDS
    except FileNotFoundError:
        return False


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
