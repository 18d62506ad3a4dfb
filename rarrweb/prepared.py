"""Queries whose SQL is built once a process, for pages that people wait for at every click.

Building the SQL of a nested query costs Django several milliseconds, the database answers it in
a tenth of one. The query is written as any other; only the values in it change from call to call.
"""

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.db.models import QuerySet

FIRST_MARK = 8_000_000_000_000_000_001
"""Stands for the first value while the SQL is built; above every id, within 64 bits."""


class Prepared:
    """A query of ids, numbers and marks: call it with its values, and get its rows.

    `build` is called with as many numbers as the query has values, and returns a `values_list`.
    It must use each of them as a parameter, and may branch on nothing. Rows come as the driver
    gives them: SQLite has 0 and 1 for false and true, and texts for times.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]]) -> None:
        self._build = build
        self._made: dict[tuple[str, int], tuple[str, tuple[Any, ...]]] = {}

    def __call__(self, *values: int) -> list[tuple[Any, ...]]:
        key = (connection.vendor, len(values))
        if key not in self._made:
            self._made[key] = self._make(len(values))
        sql, parameters = self._made[key]
        filled = [
            values[each - FIRST_MARK] if _is_mark(each, len(values)) else each
            for each in parameters
        ]
        with connection.cursor() as cursor:
            cursor.execute(sql, filled)
            return list(cursor.fetchall())

    def _make(self, count: int) -> tuple[str, tuple[Any, ...]]:
        marks = range(FIRST_MARK, FIRST_MARK + count)
        query = self._build(*marks).query
        sql, parameters = query.get_compiler(connection=connection).as_sql()
        missing = set(marks) - {each for each in parameters if _is_mark(each, count)}
        if missing:
            raise ValueError(f"value {min(missing) - FIRST_MARK + 1} is no parameter of: {sql}")
        return sql, tuple(parameters)


def _is_mark(value: object, count: int) -> bool:
    return type(value) is int and FIRST_MARK <= value < FIRST_MARK + count
