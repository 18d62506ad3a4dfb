"""A backup: a verified copy of database and files in one file, while the installation runs."""

import os
import shutil
import tempfile
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from rarrweb.backups import files, postgresql, sqlite
from rarrweb.backups.archive import Manifest, extract_archive, write_archive
from rarrweb.backups.refusals import Refused

DATABASE = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
STAGE = ".rarrweb-backup-"
"""Begins the names of what is removed once it is old: no other program's files may be called so."""
STALE_SECONDS = 24 * 3600


def make_backup(path: Path, *, is_database_only: bool = False) -> Manifest:
    """Write the installation into the new file `path`, read it again and compare it.

    The file appears whole or not at all. Raises `Refused` with a sentence.
    """
    if path.exists():
        raise Refused(f"{path} is there already. Name a new file.")
    if not path.parent.is_dir():
        raise Refused(f"There is no folder {path.parent}. Make it, or name a file elsewhere.")
    for folder in (Path(settings.VAR_DIR), path.parent):
        _forget_stale(folder)
    part = path.with_name(f"{STAGE}{path.name}")
    try:
        with tempfile.TemporaryDirectory(prefix=STAGE, dir=settings.VAR_DIR) as stage:
            part.unlink(missing_ok=True)
            manifest = _write(part, Path(stage), is_database_only=is_database_only)
            read_backup(part, Path(stage) / "read")
        part.rename(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise Refused(f"The backup could not be written: {error}.") from error
    except DatabaseError as error:
        raise Refused(f"The database cannot be read: {' '.join(str(error).split())}") from error
    finally:
        part.unlink(missing_ok=True)
    return manifest


def read_backup(path: Path, folder: Path) -> Manifest:
    """Unpack a backup below `folder`, and look through all of it; raises `Refused`."""
    folder.mkdir()
    manifest = extract_archive(path, folder)
    if manifest.engine != connection.vendor:
        raise Refused(
            f"{path} is of {manifest.engine}, and DATABASE_URL names {connection.vendor}. Restore "
            "it there; manage.py migrate_database takes SQLite's rows to PostgreSQL."
        )
    database = folder / DATABASE[manifest.engine]
    if not database.exists():
        raise Refused(f"{path} holds no database.")
    if manifest.engine == "postgresql":
        postgresql.check(database)
    elif sqlite.check(database) != manifest.tables:
        raise Refused(f"{path}: the tables do not hold as many rows as its manifest says.")
    return manifest


def _write(path: Path, stage: Path, *, is_database_only: bool) -> Manifest:
    linked = stage / "files"
    linked.mkdir()
    database = stage / DATABASE[connection.vendor]
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    left_out = []
    if not is_database_only:
        files.link_rows_files(linked)
    migrations = sorted(MigrationRecorder(connection).applied_migrations())
    if connection.vendor == "sqlite":
        server = sqlite.VERSION
        tables = sqlite.copy_out(Path(connection.settings_dict["NAME"]), database)
    else:
        postgresql.check_tools()
        _, server = postgresql.server_version()
        tables = postgresql.copy_out(database)
    if not is_database_only:
        files.link_rows_files(linked)
        left_out = files.link_others(linked)
        answers = Path(settings.VAR_DIR) / settings.ANSWERS_FILE
        if answers.exists():
            sqlite.copy_out(answers, linked / settings.ANSWERS_FILE)
    manifest = Manifest(
        made_at=made_at,
        engine=connection.vendor,
        server=server,
        is_database_only=is_database_only,
        migrations=migrations,
        tables=tables,
        left_out=left_out,
    )
    members = {
        str(each.relative_to(stage)): each for each in sorted(stage.rglob("*")) if each.is_file()
    }
    write_archive(path, manifest, members)
    shutil.rmtree(linked)
    database.unlink()
    return manifest


def _forget_stale(folder: Path) -> None:
    """Remove what a backup left in `folder` that was killed: rows and secrets of that day."""
    for left in folder.glob(f"{STAGE}*"):
        with suppress(OSError):  # removed by another backup, or another user's
            if time.time() - left.stat().st_mtime > STALE_SECONDS:
                if left.is_dir():
                    shutil.rmtree(left, ignore_errors=True)
                else:
                    left.unlink()


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
