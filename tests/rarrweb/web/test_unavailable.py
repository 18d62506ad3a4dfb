"""An unavailable database is a 503 with Retry-After, other errors a 500."""

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.sessions.backends.base import UpdateError
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.test import Client

from rarrweb import settings as product
from rarrweb.web.sessions import SessionStore
from rarrweb.web.unavailable import is_transient_error
from tests.support.campaigns import make_assignment, make_campaign
from tests.support.factories import make_user
from tests.support.skips import on_postgresql, on_sqlite

GOOD = {"criterion": "attributable", "target": 0, "value": 1, "sequence": 1}
FULL = 2

LOG_IN = {"login": "ruth", "password": "a long test password"}


@contextmanager
def locked() -> Iterator[None]:
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
            other.execute("BEGIN IMMEDIATE")
            connection.cursor().execute("PRAGMA busy_timeout = 20")
            yield
            other.rollback()
        connection.cursor().execute("PRAGMA busy_timeout = 30000")
        return
    tables = ", ".join(connection.ops.quote_name(n) for n in connection.introspection.table_names())
    with psycopg.connect(**postgresql_parameters()) as other:
        other.execute(f"LOCK TABLE {tables} IN EXCLUSIVE MODE")
        connection.cursor().execute("SET lock_timeout = '20ms'")
        yield
        other.rollback()
    connection.cursor().execute("SET lock_timeout = 0")


def postgresql_parameters() -> dict[str, object]:
    known = connection.get_connection_params()
    return {
        key: known[key] for key in ("dbname", "user", "password", "host", "port") if key in known
    }


def saving() -> Callable[[dict[str, Any]], Any]:
    anna = make_user("anna")
    path = f"/api/tasks/{make_assignment(anna).pk}/judgments/"
    client = Client(raise_request_exception=False)
    client.force_login(anna)
    return partial(client.put, path, content_type="application/json")


@pytest.mark.django_db(transaction=True)
def test_a_click_during_a_lock_is_retried_and_is_saved_then() -> None:
    save = saving()
    with locked():
        answer = save({"answers": [GOOD]})
    assert (answer.status_code, answer.headers.get("Retry-After")) == (503, "5")
    assert save({"answers": [GOOD]}).status_code == 200


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/log-in/", "/tasks/next/", "/campaigns/bridges/members/me/"])
def test_pages_say_it_too(path: str) -> None:
    ruth = make_user("ruth", role="researcher")
    make_campaign()
    make_campaign(name="Own", raters=(ruth,))
    client = Client(raise_request_exception=False)
    if path != "/log-in/":
        client.force_login(ruth)
    with locked():
        answer = client.post(path, LOG_IN if path == "/log-in/" else {})
    assert (answer.status_code, answer.headers.get("Retry-After")) == (503, "5")
    assert "The database is busy" in answer.content.decode()
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.django_db(transaction=True)
def test_an_outage_while_a_session_is_saved_is_no_wrong_request() -> None:
    session = SessionStore()
    session.create()
    with locked(), pytest.raises(OperationalError):
        session.save()
    SessionStore(session.session_key).delete()
    with pytest.raises(UpdateError):
        session.save()


@on_sqlite  # PostgreSQL reports a full disk itself, in class 53
@pytest.mark.django_db(transaction=True)
def test_a_click_on_a_full_disk_is_retried_and_is_saved_then() -> None:
    save = saving()
    text = {"answers": [], "comment": {"text": "long " * 900, "sequence": 1}}
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # else there is room in pages that nothing uses
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages}")
        answer = save(text)
        cursor.execute("PRAGMA max_page_count = 1000000000")
    assert (answer.status_code, answer.headers.get("Retry-After")) == (503, "5")
    assert save(text).status_code == 200


@on_sqlite
def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    """A power cut would lose saved answers."""
    command = product.DATABASES["default"]["OPTIONS"]["init_command"]
    with closing(sqlite3.connect(tmp_path / "own.sqlite3")) as mine:
        mine.executescript(command)
        assert mine.execute("PRAGMA synchronous").fetchone() == (FULL,)


@on_postgresql  # SQLite has no server that could go away
@pytest.mark.django_db(transaction=True)
def test_a_lost_connection_is_transient() -> None:
    client = Client(raise_request_exception=False)
    client.force_login(make_user("anna"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        mine = cursor.fetchone()[0]
    with psycopg.connect(**postgresql_parameters(), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [mine])
    statuses = [client.get("/account/").status_code for _ in range(2)]
    connection.close()
    assert statuses == [503, 503]
    assert client.get("/account/").status_code == 200


def caused(error: DatabaseError, cause: Exception) -> DatabaseError:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        (psycopg.errors.SerializationFailure(), True),
        (psycopg.errors.DeadlockDetected(), True),
        (psycopg.errors.LockNotAvailable(), True),
        (psycopg.errors.QueryCanceled(), True),
        (psycopg.errors.TooManyConnections(), True),
        (psycopg.errors.CannotConnectNow(), True),
        (psycopg.OperationalError("connection refused"), True),
        (psycopg.errors.InvalidPassword(), False),
        (psycopg.errors.StatementTooComplex(), False),
        (sqlite3.OperationalError("no such table"), False),
        (ValueError(), False),
    ],
)
def test_transient_errors(cause: Exception, expected: bool) -> None:
    assert is_transient_error(caused(OperationalError(), cause)) is expected


def test_transient_errors_without_cause() -> None:
    assert is_transient_error(InterfaceError("connection already closed"))
    assert not is_transient_error(ValueError("database is locked"))
    assert not is_transient_error(None)
    assert is_transient_error(OSError(errno.ENOSPC, "No space left on device"))
    assert not is_transient_error(OSError(errno.EACCES, "Permission denied"))
