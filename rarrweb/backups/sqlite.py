"""SQLite's database, copied while others write, and put back in one transaction."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from rarrweb.backups.archive import Table
from rarrweb.backups.refusals import Refused

VERSION = sqlite3.sqlite_version
LONGEST_WAIT = 60
"""Seconds for which a write of somebody else may hold up the copy."""


def copy_out(source: Path, target: Path) -> dict[str, Table]:
    """Write what is committed now into the new file `target`; its tables."""
    _copy(source, target)
    with closing(sqlite3.connect(target)) as copy:
        # One file, without a log beside it.
        copy.execute("PRAGMA journal_mode=DELETE")
    return check(target)


def check(path: Path) -> dict[str, Table]:
    """The tables of a whole database and their rows; raises `Refused` where it is damaged."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            (says,) = database.execute("PRAGMA integrity_check(1)").fetchone()
            orphan = database.execute("PRAGMA foreign_key_check").fetchone()
            if says != "ok" or orphan:
                raise Refused(
                    f"The database {path} is damaged: "
                    + (f"a row of {orphan[0]} names a missing one." if orphan else f"{says}.")
                )
            return tables_of(database)
    except sqlite3.DatabaseError as error:
        raise Refused(f"The database {path} cannot be read: {error}.") from None


def tables_of(database: sqlite3.Connection) -> dict[str, Table]:
    names = database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' "
        "ESCAPE '!' ORDER BY name"
    ).fetchall()
    counts = {}
    for (name,) in names:
        quoted = name.replace('"', '""')
        count = f'SELECT COUNT(*) FROM "{quoted}"'  # noqa: S608  # the database's own name
        counts[name] = Table(rows=database.execute(count).fetchone()[0])
    return counts


def put_back(copy: Path, target: Path) -> None:
    """Replace all of `target` by the copy: in one transaction of SQLite, or not at all."""
    _copy(copy, target)


def _copy(source: Path, target: Path) -> None:
    until = time.monotonic() + LONGEST_WAIT

    def wait(_status: int, _remaining: int, _total: int) -> None:
        if time.monotonic() > until:
            raise Refused(
                f"Somebody has held {target} for {LONGEST_WAIT} seconds. Stop rarrweb, then again."
            )

    try:
        with (
            closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True, timeout=30)) as read,
            closing(sqlite3.connect(target, timeout=30)) as write,
        ):
            read.backup(write, progress=wait)
            write.execute("PRAGMA synchronous=FULL")
            write.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise Refused(f"{source} could not be copied to {target}: {error}.") from None
