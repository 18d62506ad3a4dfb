"""A backup put back: looked through before anything is touched, then all of it or nothing.

Everything is unpacked into `.restoring` in the state folder first. Then an empty table is made, the
mark; the folders change places, the old ones into `.restoring/old-…`; and the database comes last,
in one transaction that replaces all tables, the mark too. So whenever the process is killed, the
mark says whether the database was reached: `_settle` puts the old folders back where it is still
there, and keeps the new ones where it is gone. Until then no command starts.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections, transaction
from django.db.migrations.loader import MigrationLoader

from rarrweb.backups import files, postgresql, sqlite
from rarrweb.backups.archive import Manifest
from rarrweb.backups.making import DATABASE, make_backup, read_backup
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
    _settle()
    if not replace:
        if table := _table_with_rows():
            raise Refused(f"The database has rows already (in {table}). {ELSEWHERE}")
        if files.any_here():
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
        old = work / f"old-{timestamp()}"
        old.mkdir()
        _mark(old)
        try:
            _exchange(manifest, old)
        except (Refused, OSError):
            # The server may have committed what its client did not hear of.
            if not _settle():
                raise
    except OSError as error:
        raise Refused(f"Nothing was changed: {error}.") from error
    finally:
        _settle()
    return Restored(manifest=manifest, before=before, is_older=is_older)


def timestamp() -> str:
    """Of now, to the microsecond: two names never meet, and their order is that of time."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"


def _mark(old: Path) -> None:
    """Make the table that is gone once the database is replaced."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TABLE {_quoted_mark(old)} (id integer)")
    except DatabaseError as error:
        raise Refused(f"Nothing was changed: the database cannot be written ({error}).") from error


def _mark_of(old: Path) -> str:
    """Another name for each restore: none is in a backup."""
    return f"rarrweb_restoring_{old.name}"


def _quoted_mark(old: Path) -> str:
    return connection.ops.quote_name(_mark_of(old))


def _exchange(manifest: Manifest, old: Path) -> None:
    """Folders first, the database last."""
    new = work_folder() / "new" / "files"
    if not manifest.is_database_only:
        for name in (*MOVED, settings.ANSWERS_FILE):
            place = files.place_of(name)
            if place.exists():
                place.rename(old / name)
            else:
                (old / f"{name}{ABSENT}").touch()
            if (new / name).exists():
                (new / name).rename(place)
    copy = work_folder() / "new" / DATABASE[manifest.engine]
    connections.close_all()
    if manifest.engine == "sqlite":
        sqlite.put_back(copy, Path(connection.settings_dict["NAME"]))
    else:
        postgresql.put_back(copy, manifest.tables)


def _settle() -> bool:
    """Undo an exchange that did not reach the database; True where it did, and all is new.

    Then forget all that is left. Killed at any moment, it ends the same way the next time.
    """
    is_replaced = False
    try:
        for old in work_folder().glob("old-*"):
            with transaction.atomic(durable=True), connection.cursor() as cursor:
                is_replaced = _mark_of(old) not in connection.introspection.table_names(cursor)
                if not is_replaced:
                    # Waits for a psql that outlived the command, and fails where that commits;
                    # one that comes later fails, since it drops the mark by its name.
                    cursor.execute(f"DROP TABLE {_quoted_mark(old)}")
                    _put_back_folders(old)
        if work_folder().exists():
            shutil.rmtree(work_folder())
    except (DatabaseError, OSError) as error:
        raise Refused(
            f"A restore was cut off, and it could not be undone or ended ({error}). Mend that, "
            "then restore again."
        ) from error
    return is_replaced


def _put_back_folders(old: Path) -> None:
    for kept in old.glob("*"):
        place = files.place_of(kept.name.removesuffix(ABSENT))
        _remove(place)
        if not kept.name.endswith(ABSENT):
            kept.rename(place)


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
