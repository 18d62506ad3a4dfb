"""Queries to the database, without those of the cache that is a table in it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.test.utils import CaptureQueriesContext

FRAME = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT", "ROLLBACK")


@contextmanager
def captured_queries() -> Iterator[list[str]]:
    """Yield a list that holds the SQL of the queries that were made inside, at the end."""
    found: list[str] = []
    with CaptureQueriesContext(connection) as queries:
        yield found
    found += [
        each["sql"]
        for each in queries.captured_queries
        if not each["sql"].startswith(FRAME) and '"cache"' not in each["sql"]
    ]
