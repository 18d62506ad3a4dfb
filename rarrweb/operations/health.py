"""Liveness and readiness of a web process."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from pipeline.jobs.queue import queue_length
from rarrweb.celery import PASSAGES

_is_migrated = False


@require_safe
@login_not_required  # for load balancers
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 if the database answers, else 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "no database"}, status=503)
    return JsonResponse({"status": "ok"})


@require_safe
@login_not_required  # for load balancers
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 if all migrations are applied, even without queue, else 503."""
    answer = healthz(request)
    if answer.status_code != 200:
        return answer
    if not is_migrated():
        return JsonResponse({"status": "tables are not up to date"}, status=503)
    queue = "away" if queue_length(PASSAGES) is None else "ok"
    return JsonResponse({"status": "ok", "queue": queue})


def is_migrated() -> bool:
    """Return whether all migrations are applied; caches True. Raises `DatabaseError`."""
    global _is_migrated
    if not _is_migrated:
        executor = MigrationExecutor(connection)
        _is_migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _is_migrated
