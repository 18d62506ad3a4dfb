"""The backup of the database before migrations."""

import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import DEFAULT_DB_ALIAS

from rarrweb.operations.backups.archive import BackupError
from rarrweb.operations.backups.creation import make_backup
from rarrweb.operations.backups.restoration import backup_folder, has_accounts, timestamp

NAMES = "before-migrate-*.zip"


def back_up_before_migrating(*, using: str, plan: list[tuple[Any, bool]], **options: Any) -> None:
    """Receive `pre_migrate`; raises `CommandError` if the backup fails."""
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
    for old in sorted(folder.glob(NAMES))[: -settings.RARR_BACKUPS]:
        old.unlink()
