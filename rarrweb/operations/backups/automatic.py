"""The backup before migrations: of the database, made where some are pending and rows are there."""

import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import DEFAULT_DB_ALIAS

from rarrweb.operations.backups.archive import BackupError
from rarrweb.operations.backups.making import make_backup
from rarrweb.operations.backups.restoring import backup_folder, has_accounts, timestamp

NAMES = "before-migrate-*.zip"


def back_up_before_migrating(*, using: str, plan: list[tuple[Any, bool]], **options: Any) -> None:
    """A receiver of `pre_migrate`. Without pending migrations, or without people, it does nothing.

    Ends the command, before any migration, where the backup fails.
    """
    if not settings.RARR_BACKUPS or using != DEFAULT_DB_ALIAS or not plan or not has_accounts():
        return
    folder = backup_folder()
    path = folder / f"before-migrate-{timestamp()}.zip"
    try:
        folder.mkdir(exist_ok=True)
        make_backup(path, is_database_only=True)
    except (BackupError, OSError) as error:
        raise CommandError(
            f"No migration was applied, since the database could not be backed up first: {error} "
            "RARR_BACKUPS=0 migrates without a backup: make one of your own before.",
            returncode=2,
        ) from None
    sys.stderr.write(
        f"{len(plan)} migrations are pending. The database was backed up first: {path}\n"
        f"To go back: install the version from before, then manage.py restore {path} --replace\n"
    )
    forget_old(folder)


def forget_old(folder: Path) -> None:
    """Keep the newest `RARR_BACKUPS` of the automatic backups."""
    for old in sorted(folder.glob(NAMES))[: -settings.RARR_BACKUPS]:
        old.unlink()
