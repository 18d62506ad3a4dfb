"""Databases as earlier versions left them, with the demo's data and judgments, on today's engine.

`old_states/*.json.gz` were written by those versions' own commands: `demo --with-campaigns`, then
answers of the demo's annotator; from 27 November 2026 on what `whole_lab` does, so that no table
that people fill is empty. One of today's tables: `python -m tests.support.old_databases NAME`.
"""

import contextlib
import gzip
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.management.color import no_style
from django.db import connections, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import load_backend

from tests.support.installation import own_database

STATES = Path(__file__).parent / "old_states"
ALIAS = "old"


def names() -> list[str]:
    return sorted(path.name.removesuffix(".json.gz") for path in STATES.glob("*.json.gz"))


def write_state(database: Path, name: str) -> None:
    """Keep all rows of an SQLite database, and which migrations were applied, under a name."""
    with contextlib.closing(sqlite3.connect(database)) as opened:
        kept: dict[str, Any] = {}
        for (table,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
            if table.startswith("sqlite_"):
                continue
            rows = opened.execute(f'SELECT * FROM "{table}"')
            kept[table] = [[each[0] for each in rows.description], rows.fetchall()]
    text = json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()
    (STATES / f"{name}.json.gz").write_bytes(gzip.compress(text, 9, mtime=0))


def read_state(name: str) -> dict[str, tuple[list[str], list[list[Any]]]]:
    """Table to its columns and rows."""
    found: dict[str, Any] = json.loads(gzip.decompress((STATES / f"{name}.json.gz").read_bytes()))
    return found


@contextlib.contextmanager
def empty_database(folder: Path, *, url: str) -> Iterator[str]:
    """The alias of a new database without tables: SQLite, or on the PostgreSQL of `url`."""
    with contextlib.ExitStack() as stack:
        if url.startswith("postgres"):
            values = dj_database_url.parse(stack.enter_context(own_database(url)))
        else:
            values = dj_database_url.parse(f"sqlite:///{folder / 'old.sqlite3'}")
        default = connections["default"].settings_dict
        if values["ENGINE"] != default["ENGINE"]:  # whose options say nothing to this one
            values["OPTIONS"] = {}
        merged = {**default, **values}
        connections[ALIAS] = load_backend(merged["ENGINE"]).DatabaseWrapper(merged, ALIAS)
        try:
            yield ALIAS
        finally:
            connections[ALIAS].close()
            del connections[ALIAS]


@contextlib.contextmanager
def old_database(name: str, folder: Path, *, url: str | None = None) -> Iterator[str]:
    """The alias of a new database with the tables and the rows of that state.

    On the suite's engine, or on that of `url`. SQLite's file is `old.sqlite3` in the folder.
    """
    url = os.environ.get("DATABASE_URL", "") if url is None else url
    state = read_state(name)
    columns, rows = state["django_migrations"]
    applied = [
        tuple(dict(zip(columns, row, strict=True))[key] for key in ("app", "name")) for row in rows
    ]
    with empty_database(folder, url=url) as alias:
        connection = connections[alias]
        executor = MigrationExecutor(connection)
        disk = executor.loader.disk_migrations
        there = {
            key
            for key, migration in disk.items()
            if key in applied or (migration.replaces and set(migration.replaces) <= set(applied))
        }
        leaves = [
            key
            for key in there
            if not any(
                child in there and child[0] == key[0]
                for child in executor.loader.graph.node_map[key].children
            )
        ]
        after = executor.migrate(leaves)
        recorder = MigrationRecorder(connection)
        recorder.flush()
        for app, migration in applied:
            recorder.record_applied(app, migration)
        tables = after.apps.get_models(include_auto_created=True)
        with (
            connection.constraint_checks_disabled(),
            transaction.atomic(using=alias),
            connection.cursor() as cursor,
        ):
            for model in tables:
                _fill(model, *state[model._meta.db_table], connection, cursor)
        reset = connection.ops.sequence_reset_sql(no_style(), list(tables))
        with connection.cursor() as cursor:
            for statement in reset:
                cursor.execute(statement)
        connection.check_constraints()
        yield alias


def _fill(
    model: type[models.Model],
    columns: list[str],
    rows: list[list[Any]],
    connection: Any,
    cursor: Any,
) -> None:
    fields = {field.column: field for field in model._meta.local_concrete_fields}
    assert set(columns) == set(fields), model._meta.db_table
    quote = connection.ops.quote_name
    into = (
        f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(map(quote, columns))}) "
        f"VALUES ({', '.join(['%s'] * len(columns))})"
    )
    for row in rows:
        cursor.execute(
            into,
            [
                fields[column].get_db_prep_save(_from_sqlite(fields[column], value), connection)
                for column, value in zip(columns, row, strict=True)
            ],
        )


def _from_sqlite(field: "models.Field[Any, Any]", value: Any) -> Any:
    if value is None:
        return None
    if isinstance(field, models.JSONField):
        return json.loads(value)
    if isinstance(field, models.DateTimeField):
        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    if isinstance(field, models.ForeignKey):
        return value
    return field.to_python(value)


def make_state(name: str) -> None:
    """Fill an SQLite file by this version's own code, and keep its rows under a name."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "var" / "db.sqlite3"
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "DATABASE_URL": f"sqlite:///{database}",
            "RARR_VAR": str(database.parent),
            "CELERY_BROKER_URL": "filesystem://",
        }
        database.parent.mkdir()
        import django

        django.setup()
        from django.core.management import call_command

        from tests.support.whole_lab import fill_lab

        call_command("migrate", verbosity=0)
        call_command("demo", "--with-campaigns")
        fill_lab(Path(folder))
        connections.close_all()
        write_state(database, name)


if __name__ == "__main__":
    make_state(sys.argv[1])
