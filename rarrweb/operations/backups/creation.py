"""Backups of database and files, while the installation runs."""

import os
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from rarrweb.operations.backups.archive import BackupError, Manifest, check_archive, write_archive
from rarrweb.operations.backups.databases import copy_sqlite, dump_database, file_name

UPLOADS, INDEXES = FOLDERS = ("uploads", "corpora")
KEY = "secret_key"
NAMES = (*FOLDERS, KEY, settings.ANSWERS_FILE)
"""Content of `var/` in a backup."""
TEMPORARY = ".rarrweb-backup-"
LOCKS = shutil.ignore_patterns("*.lock")
TRIES = 5
"""Attempts to copy an index that a worker is writing."""


def make_backup(path: Path, *, is_database_only: bool = False) -> Manifest:
    """Write a backup into the new file `path`; raises `BackupError` and then leaves no file."""
    if path.exists():
        raise BackupError(f"{path} already exists. Name a new file.")
    if not path.parent.is_dir():
        raise BackupError(f"There is no folder {path.parent}. Make it, or name another file.")
    part = path.with_name(f"{TEMPORARY}{path.name}")
    try:
        with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=settings.VAR_DIR) as folder:
            part.unlink(missing_ok=True)
            manifest = _collect(Path(folder), is_database_only=is_database_only)
            write_archive(part, manifest, Path(folder))
        check_archive(part)
        part.rename(path)
    except OSError as error:
        raise BackupError(f"The backup could not be written: {error}.") from error
    except DatabaseError as error:
        raise BackupError(f"The database cannot be read: {' '.join(str(error).split())}") from error
    finally:
        part.unlink(missing_ok=True)
    return manifest


def _collect(folder: Path, *, is_database_only: bool) -> Manifest:
    """Copy or link everything below `folder`.

    Link uploads before the copy of the database, as a worker may delete them during it, and
    after it, as rows may be new.
    """
    var, files = Path(settings.VAR_DIR), folder / "files"
    manifest = Manifest(
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        engine=connection.vendor,
        is_database_only=is_database_only,
        migrations=sorted(map(list, MigrationRecorder(connection).applied_migrations())),
        missing_indexes=[],
    )
    if is_database_only:
        dump_database(folder / file_name())
        return manifest
    files.mkdir()
    _link_folder(UPLOADS, files)
    dump_database(folder / file_name())
    _link_folder(UPLOADS, files)
    for index in (var / INDEXES).glob("*/"):
        if not _link_index(f"{INDEXES}/{index.name}", files):
            manifest.missing_indexes.append(index.name)
    if (var / KEY).exists():
        shutil.copy2(var / KEY, files / KEY)
    if (var / settings.ANSWERS_FILE).exists():
        copy_sqlite(var / settings.ANSWERS_FILE, files / settings.ANSWERS_FILE)
    return manifest


def _link_folder(name: str, files: Path) -> None:
    source = Path(settings.VAR_DIR) / name
    if source.is_dir():
        shutil.copytree(source, files / name, copy_function=_link, ignore=LOCKS, dirs_exist_ok=True)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except (FileExistsError, FileNotFoundError):  # linked already, or deleted meanwhile
        pass
    except OSError:  # no hard links
        shutil.copy2(source, target)


def _link_index(name: str, files: Path) -> bool:
    """Link an index between two commits, which replace `meta.json`; return whether it worked."""
    for _ in range(TRIES):
        before = _commit(name)
        _link_folder(name, files)
        if _commit(name) == before:
            return True
        shutil.rmtree(files / name, ignore_errors=True)
    return False


def _commit(name: str) -> int:
    meta = Path(settings.VAR_DIR) / name / "meta.json"
    return meta.stat().st_mtime_ns if meta.exists() else 0
