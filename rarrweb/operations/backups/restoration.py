"""Restoration of a backup into a stopped installation, completely or not at all.

Unpack into `.restoring`, move the old files to `.restoring/old` and the new ones in place, then
replace the database. After an error, the old files move back; after a crash, all commands refuse
to start until the restore is repeated.
"""

import shutil
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections
from django.db.migrations.loader import MigrationLoader

from rarrweb.operations.backups.archive import BackupError, Manifest, check_archive
from rarrweb.operations.backups.creation import FOLDERS, NAMES, make_backup
from rarrweb.operations.backups.databases import file_name, load_database


def work_folder() -> Path:
    return Path(settings.VAR_DIR) / ".restoring"


def backup_folder() -> Path:
    return Path(settings.VAR_DIR) / "backups"


def check(**options: object) -> Iterator[CheckMessage]:
    if work_folder().exists():
        yield Error(
            f"A restore was interrupted: {work_folder()} exists.",
            hint="Run it again: manage.py restore FILE --replace",
            id="rarrweb.E001",
        )


def restore(path: Path, *, replace: bool = False) -> tuple[Manifest, Path | None]:
    """Restore a backup; with `replace` also over accounts and files, after a backup of them.

    Returns the manifest and the path of that backup. Raises `BackupError`.
    """
    try:
        _put_back_or_finish()
        try:
            return _restore(path, replace=replace)
        finally:
            _put_back_or_finish()
    except OSError as error:
        raise BackupError(f"The backup could not be restored: {error}.") from error
    except DatabaseError as error:
        raise BackupError(f"The database cannot be used: {error}.") from error


def _restore(path: Path, *, replace: bool) -> tuple[Manifest, Path | None]:
    work, is_used = work_folder(), has_accounts() or _has_files()
    if is_used and not replace:
        raise BackupError(
            "There are accounts or files here already. Restore into an empty RARR_VAR and "
            "database, or add --replace: then they are backed up first."
        )
    manifest = check_archive(path)
    _check_fits(manifest, path)
    (work / "old").mkdir(parents=True)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(work / "new")
    before = None
    if is_used:
        before = backup_folder() / f"before-restore-{timestamp()}.zip"
        before.parent.mkdir(exist_ok=True)
        make_backup(before, is_database_only=manifest.is_database_only)
    if not manifest.is_database_only:
        _exchange_files()
    load_database(work / "new" / file_name())
    (work / "done").touch()
    return manifest, before


def timestamp() -> str:
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"


def _exchange_files() -> None:
    var, work = Path(settings.VAR_DIR), work_folder()
    for name in NAMES:
        if (var / name).exists():
            (var / name).rename(work / "old" / name)
    (work / "moved").touch()
    for path in (work / "new" / "files").glob("*"):
        path.rename(var / path.name)


def _put_back_or_finish() -> None:
    """Move the old files back unless the database was replaced; delete the work folder."""
    var, work = Path(settings.VAR_DIR), work_folder()
    if not work.exists():
        return
    if not (work / "done").exists():
        if (work / "moved").exists():
            for name in NAMES:
                _delete(var / name)
            (work / "moved").unlink()
        for path in (work / "old").glob("*"):
            path.rename(var / path.name)
    # This order allows interruptions.
    (work / "moved").unlink(missing_ok=True)
    shutil.rmtree(work / "old", ignore_errors=True)
    shutil.rmtree(work)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def has_accounts() -> bool:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        if "accounts_user" not in connection.introspection.table_names(cursor):
            return False
        cursor.execute("SELECT 1 FROM accounts_user LIMIT 1")
        return cursor.fetchone() is not None


def _has_files() -> bool:
    var = Path(settings.VAR_DIR)
    return any(path.is_file() for name in FOLDERS for path in (var / name).rglob("*"))


def _check_fits(manifest: Manifest, path: Path) -> None:
    if manifest.engine != connection.vendor:
        raise BackupError(
            f"{path} is a backup of {manifest.engine}, and DATABASE_URL names {connection.vendor}. "
            "Restore it there; manage.py migrate_database copies SQLite's rows to PostgreSQL."
        )
    known = MigrationLoader(None).disk_migrations
    replaced = {key for migration in known.values() for key in migration.replaces}
    labels = {config.label for config in apps.get_app_configs()}
    for app, name in manifest.migrations:
        if app in labels and (app, name) not in known and (app, name) not in replaced:
            raise BackupError(
                f"{path} is from a newer version, with {app}.{name}: install that version, then "
                "restore."
            )
