"""Sums over rows: the same for the same rows, however a database keeps them, and for no others."""

import uuid
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarrweb.backups.digests import RowSum


def sum_of(*rows: tuple[Any, ...]) -> RowSum:
    total = RowSum()
    for row in rows:
        total.add(row)
    return total


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAME = [
    (1, 1.0),
    (0, -0.0),
    (10**23, 1e23),  # how jsonb writes it, and Python
    (100, 1e2),
    (Decimal("1.50"), 1.5),
    (NOON, NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))),
    ({"a": 1, "b": [1, 2]}, {"b": [1.0, 2], "a": 1}),
    (b"\x00", memoryview(b"\x00")),
]
OTHER = [
    (True, 1),
    (None, ""),
    (None, "null"),
    ("1", 1),
    ([1, 2], [2, 1]),
    (NOON, NOON + timedelta(microseconds=1)),
    (NOON, NOON.isoformat()),
    ({"a": None}, {}),
    ("é", "e\u0301"),
    (uuid.UUID(int=1), uuid.UUID(int=1).hex),
    (0.1, 0.1 + 2**-56),
    (2**60, 2**60 + 1),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_a_database_may_write_otherwise_is_the_same(one: Any, other: Any) -> None:
    assert sum_of((one,)) == sum_of((other,))


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_differs_is_seen(one: Any, other: Any) -> None:
    assert sum_of((one,)) != sum_of((other,))


VALUES = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
ROWS = st.lists(st.tuples(VALUES, VALUES), max_size=6)


@given(ROWS, st.randoms())
def test_the_order_of_rows_is_nothing(rows: list[Any], random: Any) -> None:
    shuffled = random.sample(rows, len(rows))
    assert sum_of(*rows) == sum_of(*shuffled)


@given(ROWS.filter(bool))
def test_a_row_that_is_missing_or_stands_twice_is_seen(rows: list[Any]) -> None:
    assert sum_of(*rows) != sum_of(*rows[1:])
    assert sum_of(*rows) != sum_of(*rows, rows[0])


def test_a_value_that_moves_to_the_next_column_is_seen() -> None:
    assert sum_of(("a", "bc"), ("x", "y")) != sum_of(("ab", "c"), ("x", "y"))
    assert sum_of(("a", "b"), ("c", "d")) != sum_of(("a", "d"), ("c", "b"))
