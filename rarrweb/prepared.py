"""Queries whose SQL is built once a process, for pages that people wait for at every click.

Building the SQL of a nested query costs Django several milliseconds, the database answers it in
a tenth of one. The query is written as any other; only the values in it change from call to call.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import QuerySet

FIRST_NUMBER = 8_000_000_000_000_000_001
FIRST_TIME = datetime(9001, 1, 1, tzinfo=UTC)
"""They stand for values while the SQL is built: above every id, and after every time."""

Value = int | datetime


class Prepared:
    """A query of ids, numbers, texts and marks: call it with its values, and get its rows.

    `build` is called with a number or a time for each value, and returns a `values_list`. It must
    use each of them as a parameter, and may branch on nothing. Rows come as the driver gives
    them: SQLite has 0 and 1 for false and true, and texts for times.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]]) -> None:
        self._build = build
        self._made: dict[str, tuple[str, list[Any], dict[int, int]]] = {}

    def __call__(self, *values: Value) -> list[tuple[Any, ...]]:
        if connection.vendor not in self._made:
            self._made[connection.vendor] = self._make(values)
        sql, parameters, places = self._made[connection.vendor]
        filled = parameters.copy()
        for place, value in places.items():
            filled[place] = _adapted(values[value])
        with connection.cursor() as cursor:
            cursor.execute(sql, filled)
            return list(cursor.fetchall())

    def _make(self, values: Sequence[Value]) -> tuple[str, list[Any], dict[int, int]]:
        """The SQL, its parameters, and which of them is which value."""
        marks = [_mark(place, value) for place, value in enumerate(values)]
        query = self._build(*marks).query
        sql, parameters = query.get_compiler(connection=connection).as_sql()
        numbers = {_adapted(mark): number for number, mark in enumerate(marks)}
        places = {
            place: numbers[each]
            for place, each in enumerate(parameters)
            if isinstance(each, (int, str, datetime)) and each in numbers
        }
        missing = set(numbers.values()) - set(places.values())
        if missing:
            raise ValueError(f"value {min(missing) + 1} is no parameter of: {sql}")
        return sql, list(parameters), places


def _mark(place: int, value: Value) -> Value:
    is_time = isinstance(value, datetime)
    return FIRST_TIME + timedelta(days=place) if is_time else FIRST_NUMBER + place


def _adapted(value: Value) -> Any:
    """As the database's driver takes it."""
    is_time = isinstance(value, datetime)
    return connection.ops.adapt_datetimefield_value(value) if is_time else value
