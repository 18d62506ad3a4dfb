"""Whether a web process lives, and whether it can be sent people."""

from functools import cache

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from pipeline.jobs.queue import queue_length
from rarrweb.celery import PASSAGES


@require_safe
@login_not_required  # a load balancer has no account; the answer tells nothing else
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when the database answers, 503 when not."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "no database"}, status=503)
    return JsonResponse({"status": "ok"})


@require_safe
@login_not_required  # as above
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when pages can be served: the database answers and has this version's tables.

    It says whether the queue can be reached, but is ready without: raters judge on, and what is
    started waits in the database. Were all web processes taken out for it, nobody could.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        if not are_tables_there():
            return JsonResponse({"status": "tables are not up to date"}, status=503)
    except DatabaseError:
        return JsonResponse({"status": "no database"}, status=503)
    queue = "away" if queue_length(PASSAGES) is None else "ok"
    return JsonResponse({"status": "ok", "queue": queue})


class _NotYet(Exception):
    """Tables are missing; raised so that the answer is not kept."""


def are_tables_there() -> bool:
    """Whether all migrations are applied. Raises `DatabaseError` if the database cannot tell."""
    try:
        _find_no_missing_migration()
    except _NotYet:
        return False
    return True


@cache
def _find_no_missing_migration() -> None:
    """Return once all are applied, for good: no later version takes back what this one needs."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise _NotYet
