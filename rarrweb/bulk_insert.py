"""New rows by the thousand, past the models and Django's `bulk_create`."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from django.db import connection
from django.db.models import JSONField, Model

_encoder = msgspec.json.Encoder()


def insert_rows(like: Model, rows: Iterable[Mapping[str, Any]]) -> None:
    """Store one row or more in the table of `like`; what the first one does not name is as there.

    Rows map columns to values: JSON is encoded here, all else is as the database takes it. In one
    prepared statement: `bulk_create` prepares each value by its field, and on SQLite writes a
    statement for every few rows, which takes several times as long.
    """
    given = list(rows)
    fields = [field for field in like._meta.concrete_fields if not field.primary_key]
    own = [field for field in fields if field.attname in given[0]]
    same = [field for field in fields if field.attname not in given[0]]
    values = [field.get_db_prep_save(field.pre_save(like, add=True), connection) for field in same]
    names = [(field.attname, _json if isinstance(field, JSONField) else _as_it_is) for field in own]
    quote = connection.ops.quote_name
    into = ", ".join(quote(str(field.column)) for field in [*same, *own])
    places = ", ".join("%s" for _ in fields)
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {quote(like._meta.db_table)} ({into}) VALUES ({places})",  # noqa: S608
            [values + [of_field(row[name]) for name, of_field in names] for row in given],
        )


def _json(value: Any) -> str:
    return str(_encoder.encode(value), "utf-8")


def _as_it_is(value: Any) -> Any:
    return value
