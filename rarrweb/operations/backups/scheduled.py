"""One backup after another in RARR_BACKUP_FOLDER, of which the newest are kept."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from rarrweb.operations.backups.archive import BackupError, Manifest
from rarrweb.operations.backups.making import make_backup
from rarrweb.operations.backups.restoring import backup_folder

NAME = "rarrweb-%Y-%m-%d-%H%M.zip"
"""In UTC, so that their order is that of time, whatever the machine's zone does."""


def make_scheduled_backup() -> tuple[Path, Manifest]:
    """Write a backup named after this minute into RARR_BACKUP_FOLDER; raises `BackupError`."""
    folder = settings.BACKUP_DIR
    path = folder / f"{datetime.now(UTC):{NAME}}"
    try:
        # Only the default one is made: where a share is away, its backups are not for this disk.
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
    """Keep `path`, whatever its name says, and the newest others: `keep` in all.

    Returns what was deleted; raises `BackupError` where something could not be.
    """
    others = [other for _, other in scheduled_backups() if other != path]
    old = others[keep - 1 :]
    try:
        for each in old:
            each.unlink()
    except OSError as error:
        raise BackupError(
            f"{path} is complete, but an older one could not be deleted: {error}."
        ) from None
    return old


def last_scheduled_backup() -> datetime | None:
    """When the newest backup in RARR_BACKUP_FOLDER was begun; None where there is none."""
    now = datetime.now(UTC)
    return next((moment for moment, _ in scheduled_backups() if moment <= now), None)


def scheduled_backups() -> list[tuple[datetime, Path]]:
    """When each was begun, and where it is; newest first. Files of other names are not ours.

    One of the future, of a clock that was wrong, counts as the oldest.
    """
    now = datetime.now(UTC)
    found = []
    with suppress(OSError):  # a folder that is not there, or that we may not read, has none
        for path in settings.BACKUP_DIR.iterdir():
            with suppress(ValueError):
                moment = datetime.strptime(path.name, NAME).replace(tzinfo=UTC)
                if f"{moment:{NAME}}" == path.name:
                    found.append((moment, path))
    return sorted(found, key=lambda each: (each[0] <= now, each), reverse=True)
