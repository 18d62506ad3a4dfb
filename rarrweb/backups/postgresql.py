"""PostgreSQL's database, by the server's own tools, each time from or in one transaction."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.backends.postgresql.client import DatabaseClient
from psycopg import sql

from rarrweb.backups.archive import Table
from rarrweb.backups.refusals import Refused

DEBIAN_TOOLS = Path("/usr/lib/postgresql")
SESSION = (
    "SET timezone = 'UTC'; SET datestyle = 'ISO'; SET extra_float_digits = 1; "
    "SET bytea_output = 'hex'; "
)
"""So that a row is the same text in every session."""
TABLE = (
    "SELECT COUNT(*), COALESCE(SUM(('x' || SUBSTR(MD5(t::text), 1, 15))::bit(60)::bigint), 0)::text"
    " FROM {} t"
)
"""Rows, and a sum over them that does not depend on their order."""
LOCK_SECONDS = 60


def server_version() -> tuple[int, str]:
    """Its major number, and all of it as people write it."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        said = str(cursor.fetchone()[0])
    return int(said.split(".")[0]), said.split(" ")[0]


def check_tools() -> None:
    """Raises `Refused` where a program that fits the server is missing."""
    for name in ("pg_dump", "pg_restore", "psql"):
        _tool(name)


def copy_out(target: Path) -> dict[str, Table]:
    """Dump what is committed now into the new file `target`; its tables, as of that moment."""
    dump = _tool("pg_dump")
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        snapshot = cursor.fetchone()[0]
        _call(
            [dump, "--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}",
             f"--file={target}"]
        )  # fmt: skip
        cursor.execute(SESSION.replace("SET ", "SET LOCAL "))
        found = {}
        for name in table_names():
            cursor.execute(_counted(name))
            found[name] = Table(*cursor.fetchone())
    return found


def check(dump: Path) -> None:
    """Raises `Refused` where the dump cannot be read from beginning to end."""
    _call([_tool("pg_restore"), "--file=/dev/null", str(dump)], connected=False)


def table_names() -> list[str]:
    with connection.cursor() as cursor:
        return sorted(connection.introspection.table_names(cursor))


def put_back(dump: Path, tables: dict[str, Table]) -> None:
    """Replace all tables by those of the dump and compare them with `tables`: in one transaction,
    so that either all of it is done or nothing. Needs as much free disk as the dump unpacked.
    """
    script, before, after = (
        dump.with_name(name) for name in ("all.sql", "before.sql", "after.sql")
    )
    _call([_tool("pg_restore"), "--no-owner", "--no-privileges", f"--file={script}", str(dump)],
          connected=False)  # fmt: skip
    names = ", ".join(map(connection.ops.quote_name, table_names()))
    dropped = [f"DROP TABLE {names} CASCADE"] if names else []
    dropped += [f"DROP FUNCTION {name} CASCADE" for name in _function_names()]
    before.write_text(";\n".join([f"SET lock_timeout = '{LOCK_SECONDS}s'", *dropped, ""]))
    after.write_text(SESSION + "".join(_compared(*each) for each in tables.items()))
    _call(
        [_tool("psql"), "--no-psqlrc", "--quiet", "--single-transaction", "--output=/dev/null",
         "--set=ON_ERROR_STOP=1", *(f"--file={path}" for path in (before, script, after))]
    )  # fmt: skip


def _function_names() -> list[str]:
    """Those that migrations made; a dump makes them again."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT oid::regprocedure::text FROM pg_proc p "
            "WHERE pronamespace = current_schema()::regnamespace AND NOT EXISTS "
            "(SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"
        )
        return [name for (name,) in cursor.fetchall()]


def _compared(name: str, expected: Table) -> str:
    """SQL that fails where the table is not what was copied."""
    return sql.SQL(
        "DO $check$ DECLARE n bigint; d text; BEGIN EXECUTE {} INTO n, d; "
        "IF (n, d) IS DISTINCT FROM ({}::bigint, {}::text) THEN "
        "RAISE EXCEPTION 'a table is not what was copied: %', {}; END IF; END $check$;\n"
    ).format(
        sql.Literal(_counted(name)), sql.Literal(expected.rows), sql.Literal(expected.digest),
        sql.Literal(name),
    ).as_string(None)  # fmt: skip


def _counted(name: str) -> str:
    return TABLE.format(f"public.{connection.ops.quote_name(name)}")


def _tool(name: str) -> str:
    """The installed program that is as new as the server, or newer, but no newer than needed."""
    major, _ = server_version()
    places = [*DEBIAN_TOOLS.glob(f"*/bin/{name}")]
    if found := shutil.which(name):
        places.append(Path(found))
    fitting = sorted(
        (version, str(place)) for place in places if (version := _version_of(place)) >= major
    )
    if fitting:
        return fitting[0][1]
    raise Refused(
        f"PostgreSQL {major} is copied by its own program {name}, of version {major} or newer, "
        f"and none is installed on this machine: apt-get install postgresql-client-{major} "
        "(or the package of that name elsewhere), then again."
    )


def _version_of(program: Path) -> int:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    found = re.search(r"\) (\d+)", said.stdout)
    return int(found[1]) if found else 0


def _call(command: list[str], *, connected: bool = True) -> None:
    """Run one of PostgreSQL's programs; raises `Refused` with what it says."""
    arguments: list[str] = []
    environment: dict[str, str] | None = None
    if connected:
        # The password goes through the environment: command lines are everybody's to read.
        values: dict[str, Any] = {**connection.settings_dict}
        (_, *arguments), environment = DatabaseClient.settings_to_cmd_args_env(values, [])
    done = subprocess.run(  # noqa: S603
        [*command, *arguments],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = " ".join(done.stderr.split())[:600] or f"it ended with {done.returncode}"
        raise Refused(f"{Path(command[0]).name} failed: {said}")
