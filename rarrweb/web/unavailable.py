"""The answer to an unforeseen error: 503 where the database was only busy or a disk full, else 500.

A 503 with Retry-After says that nothing is wrong with what was sent; judging pages, proxies and
programs send it again by themselves.
"""

import errno
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views.defaults import server_error

RETRY_AFTER_SECONDS = 5
SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL = 5, 6, 13
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
POSTGRESQL = ("08", "40", "53", "55", "57")
"""Classes of SQLSTATE: no connection, a transaction to be tried again, no resources left, a lock
that was not given in time, somebody has stopped the query or the server."""
POSTGRESQL_FULL = "53100"


def server_error_or_busy(request: HttpRequest) -> HttpResponse:
    """The site's `handler500`: 503 where the database was only busy, 500 otherwise.

    Called wherever an error comes from: a view, a middleware, a template.
    """
    if not is_busy(sys.exception()):
        return server_error(request)
    # As Django's own page of a 500, without the request: whose it is, the database would say.
    page = loader.render_to_string("503.html")
    return HttpResponse(page, status=503, headers={"Retry-After": str(RETRY_AFTER_SECONDS)})


def is_busy(error: BaseException | None) -> bool:
    """Whether nothing is wrong with what was asked: the database is away, or the disk is full."""
    return is_away(error) or is_full(error)


def is_away(error: BaseException | None) -> bool:
    """Whether the database gave no lock in time, or cannot be reached just now."""
    if isinstance(error, InterfaceError):  # the connection was lost before
        return True
    if not isinstance(error, OperationalError):
        return False
    if (code := _sqlite_code(error)) is not None:
        return code in {SQLITE_BUSY, SQLITE_LOCKED}
    state: str | None = getattr(error.__cause__, "sqlstate", "")
    # psycopg knows no state where no server answered.
    return state is None or (state.startswith(POSTGRESQL) and state != POSTGRESQL_FULL)


def is_full(error: BaseException | None) -> bool:
    """Whether a disk has no room: the database's, or the one with the files."""
    if isinstance(error, OSError):
        return error.errno in DISK_FULL
    if not isinstance(error, OperationalError):
        return False
    state = getattr(error.__cause__, "sqlstate", "")
    return _sqlite_code(error) == SQLITE_FULL or state == POSTGRESQL_FULL


def _sqlite_code(error: OperationalError) -> int | None:
    code: int | None = getattr(error.__cause__, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF  # the upper bits say which kind of it
