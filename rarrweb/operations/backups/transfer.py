"""Transfer of all rows from SQLite to an empty PostgreSQL database."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management.color import no_style
from django.db import DatabaseError, connection, connections, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import load_backend

from rarrweb.operations.backups.archive import BackupError
from rarrweb.operations.backups.restoration import has_accounts

SOURCE = "sqlite_source"
BATCH = 500


def transfer(source: Path) -> dict[str, int]:
    """Copy all rows of the SQLite file `source`, or raise `BackupError` and change nothing.

    Returns the number of rows per table.
    """
    if connection.vendor != "postgresql":
        raise BackupError("DATABASE_URL does not name a PostgreSQL database.")
    if not source.is_file():
        raise BackupError(f"There is no file {source}.")
    with _source(source):
        try:
            for alias in (SOURCE, "default"):
                executor = MigrationExecutor(connections[alias])
                if executor.migration_plan(executor.loader.graph.leaf_nodes()):
                    name = connections[alias].settings_dict["NAME"]
                    raise BackupError(f"Migrations of {name} are pending: run migrate on it first.")
            if has_accounts():
                raise BackupError("The database of DATABASE_URL has accounts already.")
            # Lock SQLite against writes.
            with transaction.atomic(using=SOURCE), transaction.atomic(durable=True):
                return _copy_all()
        except DatabaseError as error:
            raise BackupError(f"Nothing was changed: {' '.join(str(error).split())}") from error


@contextmanager
def _source(path: Path) -> Iterator[None]:
    values = {
        **connection.settings_dict,
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 30},
        "CONN_HEALTH_CHECKS": False,
    }
    connections[SOURCE] = load_backend(values["ENGINE"]).DatabaseWrapper(values, SOURCE)
    try:
        yield
    finally:
        connections[SOURCE].close()
        del connections[SOURCE]


def _copy_all() -> dict[str, int]:
    # `migrate` created these rows with other numbers.
    Permission.objects.all().delete()
    ContentType.objects.all().delete()
    tables = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    ]
    for model in tables:
        _copy_table(model)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)
    counts = {}
    for model in tables:
        rows, copied = (model._base_manager.using(name).count() for name in (SOURCE, "default"))
        counts[model._meta.db_table] = copied
        if rows != copied:
            raise BackupError(
                f"Nothing was changed: {model._meta.db_table} has {rows:,} rows in SQLite and "
                f"{copied:,} in PostgreSQL."
            )
    return counts


def _copy_table(model: type[models.Model]) -> None:
    for row in model._base_manager.using(SOURCE).order_by("pk").iterator(chunk_size=BATCH):
        try:
            # As in `loaddata`: change no field.
            row.save_base(raw=True, using="default", force_insert=True)
        except (DatabaseError, ValueError) as error:
            raise BackupError(
                f"Nothing was changed. {model._meta.db_table}, row {row.pk}: "
                f"{' '.join(str(error).split())} Correct that row in SQLite, then try again."
            ) from error
