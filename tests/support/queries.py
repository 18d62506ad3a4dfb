"""SQL queries without those of the cache table."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.test.utils import CaptureQueriesContext

FRAME = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT", "ROLLBACK")


@contextmanager
def captured_queries() -> Iterator[list[str]]:
    """Yield a list that contains the SQL at the end of the context."""
    statements: list[str] = []
    with CaptureQueriesContext(connection) as queries:
        yield statements
    statements += [
        each["sql"]
        for each in queries.captured_queries
        if not each["sql"].startswith(FRAME) and '"cache"' not in each["sql"]
    ]
