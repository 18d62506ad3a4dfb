"""The 503 with Retry-After for an unavailable database or a full disk, else a 500."""

import errno
import sqlite3
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views.defaults import server_error

RETRY_AFTER_SECONDS = 5
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
POSTGRESQL = ("08", "40", "53", "55", "57")
"""SQLSTATE classes: connection, rollback, resources, object state, operator intervention."""
POSTGRESQL_FULL = "53100"


def server_error_or_unavailable(request: HttpRequest) -> HttpResponse:
    if not is_transient_error(sys.exception()):
        return server_error(request)
    # Without the request, as its user is in the database.
    page = loader.render_to_string("503.html")
    return HttpResponse(page, status=503, headers={"Retry-After": str(RETRY_AFTER_SECONDS)})


def is_transient_error(error: BaseException | None) -> bool:
    return is_unreachable(error) or is_full(error)


def is_unreachable(error: BaseException | None) -> bool:
    """Return whether the database cannot be reached, or gave no lock in time."""
    if isinstance(error, InterfaceError):  # the connection was lost before
        return True
    if not isinstance(error, OperationalError):
        return False
    if (code := _sqlite_code(error)) is not None:
        return code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
    state: str | None = getattr(error.__cause__, "sqlstate", "")
    # None: no server answered.
    return state is None or (state.startswith(POSTGRESQL) and state != POSTGRESQL_FULL)


def is_full(error: BaseException | None) -> bool:
    if isinstance(error, OSError):
        return error.errno in DISK_FULL
    if not isinstance(error, OperationalError):
        return False
    state = getattr(error.__cause__, "sqlstate", "")
    return _sqlite_code(error) == sqlite3.SQLITE_FULL or state == POSTGRESQL_FULL


def _sqlite_code(error: OperationalError) -> int | None:
    code: int | None = getattr(error.__cause__, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF  # without the bits of the extended code
