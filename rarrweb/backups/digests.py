"""A sum over a table's rows that does not depend on the database, or on the order of rows."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from typing import Any
from uuid import UUID

import msgspec
from django.db import models

DIGEST_BYTES = 16
MODULUS = 1 << (8 * DIGEST_BYTES)
_encode = msgspec.json.Encoder(order="deterministic").encode
_exactly = Context(prec=5000)


class RowSum:
    """The count of rows and the sum of their digests: equal for two tables with equal rows."""

    def __init__(self) -> None:
        self.rows = 0
        self.total = 0

    def add(self, row: Sequence[Any]) -> None:
        """Add a row of values as Django's fields have them in Python."""
        digest = hashlib.blake2b(
            _encode([_plain(value) for value in row]), digest_size=DIGEST_BYTES
        )
        self.rows += 1
        self.total = (self.total + int.from_bytes(digest.digest())) % MODULUS

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RowSum):
            return NotImplemented
        return (self.rows, self.total) == (other.rows, other.total)

    __hash__ = None  # type: ignore[assignment]


def _plain(value: Any) -> Any:
    """The value in a form that is the same whichever database gave it."""
    match value:
        case None | bool() | str():
            return value
        case int() | float() | Decimal():
            # jsonb writes 1e2 as 100 and -0.0 as 0: numbers are compared, not their spelling.
            exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
            return ["n", str(_exactly.normalize(exact)) if exact else "0"]
        case datetime():
            return ["t", value.astimezone(UTC).isoformat()]
        case date():
            return ["d", value.isoformat()]
        case timedelta():
            return ["s", str(value)]
        case UUID():
            return ["u", value.hex]
        case bytes() | memoryview():
            return ["b", bytes(value).hex()]
        case list() | tuple():
            return ["l", *map(_plain, value)]
        case dict():
            return {str(key): _plain(each) for key, each in value.items()}
    raise TypeError(f"no table should hold a {type(value).__name__}")


def rows_of(
    model: type[models.Model], alias: str, *, chunk: int = 500
) -> Iterator[tuple[Any, ...]]:
    """All rows of the model's table, each with the values of `stored_fields`."""
    names = [field.attname for field in stored_fields(model)]
    rows = model._base_manager.using(alias).order_by("pk")
    last: Any = None
    place = names.index(model._meta.pk.attname)
    while some := list(
        (rows if last is None else rows.filter(pk__gt=last)).values_list(*names)[:chunk]
    ):
        yield from some
        last = some[-1][place]


def stored_fields(model: type[models.Model]) -> list["models.Field[Any, Any]"]:
    return list(model._meta.local_concrete_fields)


def sum_rows(rows: Iterator[tuple[Any, ...]], each: Callable[[tuple[Any, ...]], object]) -> RowSum:
    """The sum of all rows, after `each` was called with every one of them."""
    total = RowSum()
    for row in rows:
        total.add(row)
        each(row)
    return total
