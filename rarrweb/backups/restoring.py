"""A backup put back: looked through before anything is touched, then all of it or nothing.

Everything is unpacked into `.restoring` in the state folder first. Then the folders change places,
and the database comes last, in one transaction. If the process is killed between the two, the
folder `.restoring` stays: no command starts until the backup is restored again, which first puts
the old folders back.
"""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections
from django.db.migrations.loader import MigrationLoader

from rarrweb.backups import files, postgresql, sqlite
from rarrweb.backups.archive import Manifest
from rarrweb.backups.making import DATABASE, STAGE, make_backup, read_backup
from rarrweb.backups.refusals import Refused

MADE_BY_MIGRATE = {"django_content_type", "auth_permission", "django_migrations"}
SIGNS_OF_LIFE = {"pipeline_worker"}
MOVED = (*files.FOLDERS, files.KEY)
ELSEWHERE = "Restore into an empty place, or add --replace: then what is here is backed up first."
ABSENT = ".absent"
"""Ends the name of a mark that says: nothing was in that place."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was put back, and the copy of what was there before."""

    manifest: Manifest
    before: Path | None
    is_older: bool
    """Whether migrations are to be applied now."""


def work_folder() -> Path:
    return Path(settings.VAR_DIR) / ".restoring"


def backup_folder() -> Path:
    """Where backups lie that nobody asked for."""
    return Path(settings.VAR_DIR) / "backups"


def check(**options: object) -> Iterator[CheckMessage]:
    """No restore was cut off half-way."""
    if work_folder().exists():
        yield Error(
            f"A restore was cut off: {work_folder()} is there.",
            hint="Restore the backup again, to its end: manage.py restore FILE --replace",
            id="rarrweb.E001",
        )


def restore(path: Path, *, replace: bool = False) -> Restored:
    """Put the installation of a backup in the place of this one; raises `Refused`.

    Without `replace`, only where there are no rows and no files. With it, what is here is backed up
    first.
    """
    # Before a restore that was cut off is undone: its rows may be in place already, and the old
    # folders do not belong to those. With `replace` all is exchanged again.
    if not replace and (table := _table_with_rows()):
        raise Refused(f"The database has rows already (in {table}). {ELSEWHERE}")
    if (work_folder() / "old").exists():
        # And not for a file that is refused: the mark would be gone, and all would start.
        try:
            with tempfile.TemporaryDirectory(prefix=STAGE, dir=settings.VAR_DIR) as stage:
                _check_fits(read_backup(path, Path(stage) / "new"), path)
        except OSError as error:
            raise Refused(f"The backup could not be unpacked: {error}.") from error
    _undo_cut_off()
    if not replace and files.any_here():
        raise Refused(f"There are files in {settings.VAR_DIR} already. {ELSEWHERE}")
    work = work_folder()
    work.mkdir()
    try:
        manifest = read_backup(path, work / "new")
        is_older = _check_fits(manifest, path)
        before = None
        if replace and (_table_with_rows() or files.any_here()):
            before = backup_folder() / f"before-restore-{timestamp()}.zip"
            before.parent.mkdir(exist_ok=True)
            try:
                make_backup(before, is_database_only=manifest.is_database_only)
            except Refused as error:
                raise Refused(
                    f"What is here could not be backed up first, so nothing was changed: {error} "
                    "Restore into a new RARR_VAR (and a new database) instead."
                ) from None
        _exchange(manifest)
    except OSError as error:
        raise Refused(f"Nothing was changed: {error}.") from error
    finally:
        _undo_cut_off()
    return Restored(manifest=manifest, before=before, is_older=is_older)


def timestamp() -> str:
    """Of now, to the microsecond: two names never meet, and their order is that of time."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"


def _exchange(manifest: Manifest) -> None:
    """Folders first, the database last; after it, the old folders are no longer wanted."""
    work = work_folder()
    new, old = work / "new" / "files", work / "old"
    old.mkdir()
    if not manifest.is_database_only:
        for name in (*MOVED, settings.ANSWERS_FILE):
            place = files.place_of(name)
            if place.exists():
                place.rename(old / name)
            else:
                (old / f"{name}{ABSENT}").touch()
            if (new / name).exists():
                (new / name).rename(place)
    copy = work / "new" / DATABASE[manifest.engine]
    connections.close_all()
    if manifest.engine == "sqlite":
        sqlite.put_back(copy, Path(connection.settings_dict["NAME"]))
    else:
        postgresql.put_back(copy, manifest.tables)
    old.rename(work / "done")


def _undo_cut_off() -> None:
    """Put the old folders back, unless the database was reached; then forget all that is left."""
    work = work_folder()
    old = work / "old"
    for kept in old.glob("*"):
        place = files.place_of(kept.name.removesuffix(ABSENT))
        _remove(place)
        if not kept.name.endswith(ABSENT):
            kept.rename(place)
    if work.exists():
        shutil.rmtree(work)


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def _table_with_rows() -> str:
    """As `first_table_with_rows`; raises `Refused` where the database cannot be read."""
    try:
        return first_table_with_rows(DEFAULT_DB_ALIAS)
    except DatabaseError as error:
        raise Refused(
            f"The database of DATABASE_URL cannot be read ({error}). Name an empty one, or with "
            "SQLite move the file away, with those beside it that end in -wal and -shm."
        ) from None


def first_table_with_rows(alias: str) -> str:
    """The name of a table in which people's or the machine's work stands; empty without one."""
    connection = connections[alias]
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            if name in MADE_BY_MIGRATE | SIGNS_OF_LIFE:
                continue
            quoted = connection.ops.quote_name(name)
            cursor.execute(f"SELECT 1 FROM {quoted} LIMIT 1")  # noqa: S608  # the database's own name
            if cursor.fetchone():
                return name
    return ""


def _check_fits(manifest: Manifest, path: Path) -> bool:
    """Whether the backup is of an older version; raises `Refused` where it is of a newer one."""
    loader = MigrationLoader(None)
    known = set(loader.disk_migrations)
    known |= {each for one in loader.disk_migrations.values() for each in one.replaces}
    ours = {config.label for config in apps.get_app_configs()}
    newer = [each for each in manifest.migrations if each[0] in ours and each not in known]
    if newer:
        raise Refused(
            f"{path} is of a newer version, with {'.'.join(newer[0])}: install that version, then "
            "restore."
        )
    return not set(loader.graph.leaf_nodes()) <= set(manifest.migrations)
