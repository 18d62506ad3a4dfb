"""Scheduled backups in RARR_BACKUP_FOLDER, and the backup before migrations."""

import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS

from rarrweb.operations.backups.archive import BackupError, Manifest
from rarrweb.operations.backups.creation import make_backup
from rarrweb.operations.backups.restoration import backup_folder, has_accounts, timestamp

NAME = "rarrweb-%Y-%m-%d-%H%M.zip"
"""In UTC."""


def make_scheduled_backup() -> tuple[Path, Manifest]:
    """Write a backup named after this minute into RARR_BACKUP_FOLDER; raises `BackupError`."""
    folder = settings.BACKUP_DIR
    path = folder / f"{datetime.now(UTC):{NAME}}"
    try:
        # Another folder may be an unmounted share.
        if folder == backup_folder():
            folder.mkdir(exist_ok=True)
        if not folder.is_dir():
            raise BackupError(
                f"There is no folder {folder}. Make it, or correct RARR_BACKUP_FOLDER."
            )
        if path.exists():
            raise BackupError(f"{path} was made this minute. Wait for the next one.")
    except OSError as error:
        raise BackupError(f"RARR_BACKUP_FOLDER cannot be used: {error}.") from error
    return path, make_backup(path)


def delete_older(path: Path, *, keep: int) -> list[Path]:
    """Keep `path` and the newest others, `keep` in all; return the deleted ones.

    Raises `BackupError`.
    """
    others = [other for _, other in scheduled_backups() if other != path]
    old = others[keep - 1 :]
    try:
        for each in old:
            each.unlink()
    except OSError as error:
        raise BackupError(
            f"{path} is complete, but an older one could not be deleted: {error}.", returncode=1
        ) from None
    return old


def last_scheduled_backup() -> datetime | None:
    now = datetime.now(UTC)
    return next((moment for moment, _ in scheduled_backups() if moment <= now), None)


def scheduled_backups() -> list[tuple[datetime, Path]]:
    """Return times and paths of backups, newest first; times in the future count as oldest."""
    now = datetime.now(UTC)
    backups = []
    with suppress(OSError):  # a missing or unreadable folder
        for path in settings.BACKUP_DIR.iterdir():
            with suppress(ValueError):
                moment = datetime.strptime(path.name, NAME).replace(tzinfo=UTC)
                if f"{moment:{NAME}}" == path.name:
                    backups.append((moment, path))
    return sorted(backups, key=lambda each: (each[0] <= now, each), reverse=True)


NAMES = "before-migrate-*.zip"


def back_up_before_migrating(*, using: str, plan: list[tuple[Any, bool]], **options: Any) -> None:
    """Receive `pre_migrate`; raises `BackupError`."""
    if not settings.RARR_BACKUPS or using != DEFAULT_DB_ALIAS or not plan or not has_accounts():
        return
    folder = backup_folder()
    path = folder / f"before-migrate-{timestamp()}.zip"
    try:
        folder.mkdir(exist_ok=True)
        make_backup(path, is_database_only=True)
    except (BackupError, OSError) as error:
        raise BackupError(
            f"No migration was applied, since the database could not be backed up first: {error} "
            "RARR_BACKUPS=0 migrates without a backup: make one of your own before."
        ) from None
    sys.stderr.write(
        f"{len(plan)} migrations are pending. The database was backed up first: {path}\n"
        f"To go back: install the version from before, then manage.py restore {path} --replace\n"
    )
    for old in sorted(folder.glob(NAMES))[: -settings.RARR_BACKUPS]:
        old.unlink()
