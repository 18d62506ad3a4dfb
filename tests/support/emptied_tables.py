"""Empties tables after tests with real transactions, ten times faster than `flush`."""

from typing import Any

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

MADE_BY_DJANGO = {"auth_permission", "django_content_type"}


def tables_with_rows(connection: BaseDatabaseWrapper) -> list[str]:
    quote = connection.ops.quote_name
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    requests = [
        f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {quote(name)})"
        for name in sorted(set(tables) - MADE_BY_DJANGO)
    ]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(requests))
        return [name for (name,) in cursor.fetchall()]


def empty_tables(test_case: Any) -> None:
    for alias in test_case._databases_names(include_mirrors=False):
        connection = connections[alias]
        quote = connection.ops.quote_name
        connection.ops.execute_sql_flush(
            [f"DELETE FROM {quote(name)}" for name in tables_with_rows(connection)]
        )
