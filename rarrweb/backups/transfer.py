"""All rows of SQLite into an empty PostgreSQL, in one transaction, compared table by table."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.apps import apps
from django.core.management.color import no_style
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import load_backend

from rarrweb.backups.archive import BackupError
from rarrweb.backups.digests import RowSum, rows_of, stored_fields, sum_rows

SOURCE = "sqlite_source"
MADE_BY_MIGRATE = {"django_content_type", "auth_permission", "django_migrations"}
SIGNS_OF_LIFE = {"pipeline_worker"}


def transfer(source: Path) -> dict[str, RowSum]:
    """Copy all rows of the SQLite file `source` into the database of DATABASE_URL.

    SQLite is locked against writing until the end; nothing of it is changed. Returns the sum of
    each table, which both have. Raises `BackupError`; then PostgreSQL has no row more than before.
    """
    if connection.vendor != "postgresql":
        raise BackupError(
            "DATABASE_URL names no PostgreSQL: set it to where the rows go, as "
            "postgres://user:password@host:5432/name, and name the SQLite file they come from."
        )
    if not source.is_file():
        raise BackupError(f"There is no file {source}.")
    with _reading(source):
        _check_same_tables(source)
        if name := first_table_with_rows(DEFAULT_DB_ALIAS):
            raise BackupError(
                f"{connection.settings_dict['NAME']} has rows already (in {name}): name an empty "
                "database in DATABASE_URL."
            )
        tables = tables_of_all()
        try:
            with transaction.atomic(using=SOURCE), transaction.atomic(durable=True):
                return _copy_all(tables)
        except DatabaseError as error:
            raise BackupError(f"Nothing was changed: {' '.join(str(error).split())}") from error


def tables_of_all() -> list[type[models.Model]]:
    """The models of all tables, also of those between two others."""
    return [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    ]


@contextmanager
def _reading(source: Path) -> Iterator[None]:
    """The alias `SOURCE` is the file."""
    # BEGIN IMMEDIATE: until the end nobody writes what would not be copied.
    values = {
        **connection.settings_dict,
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(source),
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 30},
        "CONN_HEALTH_CHECKS": False,
    }
    connections[SOURCE] = load_backend(values["ENGINE"]).DatabaseWrapper(values, SOURCE)
    try:
        yield
    finally:
        connections[SOURCE].close()
        del connections[SOURCE]


def _check_same_tables(source: Path) -> None:
    """Both databases have the tables of this version."""
    for alias, fix in (
        (SOURCE, f"DATABASE_URL=sqlite:///{source.resolve()} .venv/bin/python manage.py migrate"),
        (DEFAULT_DB_ALIAS, ".venv/bin/python manage.py migrate"),
    ):
        try:
            executor = MigrationExecutor(connections[alias])
            plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        except DatabaseError as error:
            raise BackupError(f"{connections[alias].settings_dict['NAME']}: {error}") from None
        if plan:
            name = connections[alias].settings_dict["NAME"]
            raise BackupError(f"{name} does not have this version's tables. First: {fix}")


def _copy_all(tables: list[type[models.Model]]) -> dict[str, RowSum]:
    quote = connection.ops.quote_name
    names = ", ".join(quote(model._meta.db_table) for model in tables)
    sums = {}
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '30s'; LOCK TABLE {names} IN EXCLUSIVE MODE")
        # What `migrate` made: ids that the rows of SQLite do not name.
        cursor.execute("TRUNCATE auth_permission, django_content_type CASCADE")
        for model in tables:
            sums[model._meta.db_table] = _copy_table(model, cursor)
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)
    for model in tables:
        name = model._meta.db_table
        if sum_rows(rows_of(model, DEFAULT_DB_ALIAS), lambda _row: None) != sums[name]:
            raise BackupError(
                f"Nothing was changed: {name} did not arrive as it was. Please report it."
            )
    return sums


def _copy_table(model: type[models.Model], cursor: Any) -> RowSum:
    fields = stored_fields(model)
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    into = f"COPY {quote(model._meta.db_table)} ({columns}) FROM STDIN"
    place = fields.index(model._meta.pk)
    row: tuple[Any, ...] = ()
    try:
        with cursor.copy(into) as copy:

            def write(values: tuple[Any, ...]) -> None:
                nonlocal row
                row = values
                copy.write_row(
                    [
                        field.get_db_prep_save(value, connection)
                        for field, value in zip(fields, values, strict=True)
                    ]
                )

            return sum_rows(rows_of(model, SOURCE), write)
    except (DatabaseError, psycopg.Error, ValueError) as error:
        says = " ".join(str(error).split())
        # Rows are sent ahead: PostgreSQL counts those that it has read.
        counted = re.search(r"COPY \w+, line (\d+)", says)
        number = _number_of(model, int(counted[1])) if counted else row[place] if row else ""
        at = f", row {number}" if number else ""
        raise BackupError(
            f"Nothing was changed. {model._meta.db_table}{at}: {says}. Correct that row in "
            "SQLite, then again."
        ) from error


def _number_of(model: type[models.Model], place: int) -> Any:
    """The primary key of SQLite's row at that place, counted from 1."""
    keys = model._base_manager.using(SOURCE).order_by("pk").values_list("pk", flat=True)
    return next(iter(keys[place - 1 : place]), None)


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
