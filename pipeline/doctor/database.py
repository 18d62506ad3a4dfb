"""Whether the database answers, and has today's tables."""

import shutil
from pathlib import Path

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from pipeline.doctor.findings import MANAGE, ROOM, Finding, fine, wrong
from pipeline.doctor.surroundings import FEWER_CONNECTIONS

LEAST_SQLITE_BYTES = 100_000
"""Of its index of what is written, without which it opens nothing."""


def check_database() -> Finding:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            version = _database_version()
    except DatabaseError as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else "no answer"
        return wrong(
            f"{_database_name()} cannot be reached: {reason}",
            _fix_of_database(reason),
        )
    return fine(f"{version}, {_database_name()}")


def _fix_of_database(reason: str) -> str:
    if _sqlite_is_full():
        return ROOM
    if "too many clients" in reason or "remaining connection slots" in reason:
        return (
            "ALTER SYSTEM SET max_connections = twice what SHOW max_connections says; "
            f"{FEWER_CONNECTIONS}"
        )
    return "Start the database, or correct DATABASE_URL."


def _sqlite_is_full() -> bool:
    """Whether its disk has no room for the files that it makes beside the database."""
    folder = Path(str(connection.settings_dict["NAME"])).parent
    return (
        connection.vendor == "sqlite"
        and folder.is_dir()
        and shutil.disk_usage(folder).free < LEAST_SQLITE_BYTES
    )


def _database_version() -> str:
    if connection.vendor == "sqlite":
        import sqlite3

        return f"SQLite {sqlite3.sqlite_version}"
    number = connection.pg_version  # type: ignore[attr-defined]
    return f"PostgreSQL {number // 10_000}"


def _database_name() -> str:
    """Where the database is; never the password."""
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return str(values["NAME"])
    return f"{values['NAME']} at {values['HOST'] or 'this machine'}:{values['PORT'] or 5432}"


def check_tables() -> Finding:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        missing = ", ".join(f"{step.app_label}.{step.name}" for step, _ in plan[:3])
        more = f" and {len(plan) - 3} more" if len(plan) > 3 else ""
        return wrong(f"not up to date: {missing}{more}.", f"{MANAGE} migrate")
    return fine("up to date")
