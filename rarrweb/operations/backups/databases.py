"""Dump and load of the database, by SQLite's backup API or PostgreSQL's programs."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

from django.db import connection, connections
from django.db.backends.postgresql.client import DatabaseClient

from rarrweb.operations.backups.archive import BackupError

PROGRAMS = ("pg_dump", "pg_restore", "psql")
LOCK_SECONDS = 60


def file_name() -> str:
    return "database.sqlite3" if connection.vendor == "sqlite" else "database.dump"


def dump_database(target: Path) -> None:
    """Write a snapshot of the database into the new file `target`."""
    if connection.vendor == "sqlite":
        copy_sqlite(Path(connection.settings_dict["NAME"]), target)
        _check_sqlite(target)
    else:
        dump = ["--format=custom", "--no-owner", "--no-privileges", f"--file={target}"]
        _run("pg_dump", *dump, is_connected=True)


def load_database(source: Path) -> None:
    """Replace all tables by those of the file in one transaction."""
    connections.close_all()
    if connection.vendor == "sqlite":
        _check_sqlite(source)
        copy_sqlite(source, Path(connection.settings_dict["NAME"]))
        return
    script, drop = source.with_name("load.sql"), source.with_name("drop.sql")
    options = ["--clean", "--if-exists", "--no-owner", "--no-privileges"]
    _run("pg_restore", *options, f"--file={script}", str(source))
    names = ", ".join(map(connection.ops.quote_name, connection.introspection.table_names()))
    drop.write_text(
        f"SET lock_timeout = '{LOCK_SECONDS}s';\n"
        + (f"DROP TABLE {names} CASCADE;\n" if names else "")
    )
    connections.close_all()
    options = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"]
    files = [f"--file={drop}", f"--file={script}", "--output=/dev/null"]
    _run("psql", *options, *files, is_connected=True)


def check_tools() -> None:
    if missing := [name for name in PROGRAMS if not shutil.which(name)]:
        raise BackupError(
            f"{', '.join(missing)} not installed: apt-get install postgresql-client, of the "
            "server's version or newer."
        )


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a database in one transaction, even while it is in use."""
    try:
        with (
            closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as read,
            closing(sqlite3.connect(target)) as write,
        ):
            read.backup(write)
            write.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise BackupError(f"{source} could not be copied to {target}: {error}.") from None


def _check_sqlite(path: Path) -> None:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            (result,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.Error as error:
        result = str(error)
    if result != "ok":
        raise BackupError(f"The database {path} is damaged: {result}.")


def _run(program: str, *options: str, is_connected: bool = False) -> None:
    arguments: list[str] = []
    environment: dict[str, str] | None = None
    check_tools()
    if is_connected:
        # Pass the password in the environment: other users can read command lines.
        values: dict[str, Any] = {**connection.settings_dict}
        (_, *arguments), environment = DatabaseClient.settings_to_cmd_args_env(values, [])
    done = subprocess.run(  # noqa: S603
        [str(shutil.which(program)), *options, *arguments],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BackupError(f"{program} failed: {' '.join(done.stderr.split())[:600]}")
