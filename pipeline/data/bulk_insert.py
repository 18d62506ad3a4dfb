"""Insertion of many rows, three times as fast as `bulk_create`."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from django.db import connection
from django.db.models import JSONField, Model


def insert_rows(model: type[Model], rows: Sequence[Mapping[str, Any]], **same: Any) -> None:
    """Insert rows of column → value, which all have the same columns.

    `same` are fields of all rows. Other fields get their defaults.
    """
    if not rows:
        return
    common = model(**same)
    columns, values = [], []
    encoders = []
    for field in model._meta.concrete_fields:
        if field.attname in rows[0]:
            encode = msgspec.json.encode if isinstance(field, JSONField) else None
            encoders.append((field.attname, encode))
        elif not (field.primary_key or field.has_db_default()):
            columns.append(field.attname)
            value = getattr(common, field.attname)
            values.append(field.get_db_prep_save(value, connection))
    columns += [name for name, _ in encoders]
    names = ", ".join(map(connection.ops.quote_name, columns))
    marks = ", ".join(["%s"] * len(columns))
    table = connection.ops.quote_name(model._meta.db_table)
    parameters = [
        [
            *values,
            *(encode(row[name]).decode() if encode else row[name] for name, encode in encoders),
        ]
        for row in rows
    ]
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {table} ({names}) VALUES ({marks})",  # noqa: S608
            parameters,
        )
