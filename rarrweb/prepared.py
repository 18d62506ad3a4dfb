"""Queries whose SQL is built once, for pages that people wait for at every click.

Building the SQL of a nested query costs Django several milliseconds, the database answers it in
a tenth of one. The query is written as any other; only the values in it change from call to call.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Model, QuerySet
from django.db.models.query import ModelIterable
from django.db.models.sql.compiler import SQLCompiler

FIRST_NUMBER = 2_147_483_001
FIRST_TIME = datetime(9001, 1, 1, tzinfo=UTC)
TEXT = "prepared-text-"
"""They stand for values while the SQL is built, and are like nothing that a query itself says;
the numbers still fit into a column of 32 bits, beyond which Django would answer without asking."""

LAST_NUMBER = 2**63 - 1

Value = int | datetime | str
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A query's SQL, and where each value goes."""

    compiler: SQLCompiler
    sql: str
    parameters: Sequence[Any]
    places: dict[int, int]
    """Index of a parameter to the number of its value."""
    converters: dict[int, Any]
    """From what the driver gives to what a model's columns hold."""

    def rows(self, values: Sequence[Value]) -> list[tuple[Any, ...]]:
        """As the database's driver gives them; none for a value that no row can have."""
        if any(_is_in_no_row(value) for value in values):
            return []
        filled = list(self.parameters)
        for place, number in self.places.items():
            filled[place] = _adapted(values[number])
        with connection.cursor() as cursor:
            cursor.execute(self.sql, filled)
            return list(cursor.fetchall())


class _Prepared:
    """`build` is called once a process, with a mark for each value. It must use each of them as a
    parameter, and may branch on nothing.

    Threads share what was built: of the connection that it was built for, which is one thread's
    own, it reads only what is the same for all connections to the same kind of database.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]]) -> None:
        self._build = build
        self._built: dict[str, Built] = {}

    def _built_for(self, values: Sequence[Value]) -> Built:
        found = self._built.get(connection.vendor)
        if found is None:
            found = self._built[connection.vendor] = _built(self._build, values)
        return found


class Prepared(_Prepared):
    """A query of plain values: call it with its values, and get its rows.

    `build` returns a `values_list`. Rows come as the driver gives them: SQLite has 0 and 1 for
    false and true, and texts for times.
    """

    def __call__(self, *values: Value) -> list[tuple[Any, ...]]:
        return self._built_for(values).rows(values)


class PreparedModels(_Prepared, Generic[Row]):
    """A query of a model's rows: call it with its values, and get instances.

    `build` may select related rows and name columns (`only`, `defer`); it prefetches nothing.
    """

    def __init__(self, build: Callable[..., QuerySet[Row]]) -> None:
        super().__init__(build)

    def __call__(self, *values: Value) -> list[Row]:
        built = self._built_for(values)
        return list(ModelIterable(_Answered(built, built.rows(values))))

    def first(self, *values: Value) -> Row | None:
        """The first row; None where there is none."""
        found = self(*values)
        return found[0] if found else None


class _Answered:
    """What Django's `ModelIterable` asks of a queryset, of one whose rows are there already."""

    def __init__(self, built: Built, rows: list[tuple[Any, ...]]) -> None:
        compiler = built.compiler
        self.db = compiler.using
        self.model = compiler.query.model
        self.query = self
        self._known_related_objects: dict[Any, Any] = {}
        self.select = compiler.select
        self.klass_info = compiler.klass_info
        self.annotation_col_map = compiler.annotation_col_map
        self._built = built
        self._rows = rows

    def get_compiler(self, using: str) -> "_Answered":
        return self

    def execute_sql(self, **_: object) -> list[tuple[Any, ...]]:
        return self._rows

    def results_iter(self, rows: list[tuple[Any, ...]]) -> Iterator[Sequence[Any]]:
        built = self._built
        found: Iterator[Sequence[Any]] = built.compiler.apply_converters(rows, built.converters)
        return found


def _built(build: Callable[..., QuerySet[Any, Any]], values: Sequence[Value]) -> Built:
    marks = [_mark(place, value) for place, value in enumerate(values)]
    query = build(*marks).query
    compiler = query.get_compiler(using=DEFAULT_DB_ALIAS)
    sql, parameters = compiler.as_sql()
    numbers = {_adapted(mark): number for number, mark in enumerate(marks)}
    places = {
        place: numbers[each]
        for place, each in enumerate(parameters)
        if isinstance(each, (int, str, datetime)) and each in numbers
    }
    missing = set(numbers.values()) - set(places.values())
    if missing:
        raise ValueError(f"value {min(missing) + 1} is no parameter of: {sql}")
    return Built(
        compiler=compiler,
        sql=sql,
        parameters=tuple(parameters),
        places=places,
        converters=compiler.get_converters(expression for expression, *_ in compiler.select),
    )


def _mark(place: int, value: Value) -> Value:
    if isinstance(value, datetime):
        return FIRST_TIME + timedelta(days=place)
    return f"{TEXT}{place}" if isinstance(value, str) else FIRST_NUMBER + place


def _is_in_no_row(value: Value) -> bool:
    """Whether the value, from an address say, is one that drivers refuse: Django knows that nothing
    equals a number beyond 64 bits, and PostgreSQL has no text with NUL."""
    if isinstance(value, int):
        return abs(value) > LAST_NUMBER
    return isinstance(value, str) and "\x00" in value


def _adapted(value: Value) -> Any:
    """As the database's driver takes it."""
    is_time = isinstance(value, datetime)
    return connection.ops.adapt_datetimefield_value(value) if is_time else value
