"""Whether the web process can reach its database."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe


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
