"""Compares the database after a run with the answers of the server."""

from collections.abc import Mapping, Sequence

from django.db import connection
from django.db.models import Count, F, Q

from annotation.models import Assignment, Campaign, Judgment
from tests.load.rater import Key


def findings(
    campaign: Campaign, acknowledged: Mapping[Key, tuple[int, int]], *, is_finished: bool
) -> dict[str, int]:
    """Return counts of faults by name; 0 is right."""
    saved = {
        (row.assignment_id, row.criterion, row.target): (row.value, row.sequence)
        for row in Judgment.objects.filter(assignment__item__campaign=campaign).iterator()
    }
    work = Assignment.objects.filter(item__campaign=campaign)
    per_item = campaign.items.annotate(
        holding=Count("assignments", filter=Q(assignments__slot__isnull=False)),
        handed_in=Count(
            "assignments",
            filter=Q(assignments__slot__isnull=False, assignments__submitted_at__isnull=False),
        ),
        everybody=Count("assignments"),
    )
    n = campaign.raters_per_item
    wrong = {
        "acknowledged and lost": sum(key not in saved for key in acknowledged),
        "acknowledged and different": sum(
            key in saved and saved[key] != answer for key, answer in acknowledged.items()
        ),
        "saved and never acknowledged": sum(key not in acknowledged for key in saved),
        "duplicate judgments": _repeated(Judgment, "assignment", "criterion", "target"),
        "one rater twice on an item": _repeated(Assignment, "item", "rater"),
        f"items with more than {n} raters": per_item.filter(
            Q(holding__gt=n) | Q(handed_in__gt=n) | Q(everybody__gt=n)
        ).count(),
        "items whose counter is wrong": per_item.exclude(done=F("handed_in")).count(),
        "late work": work.filter(is_late=True).count(),
        "deadlocks": _deadlocks(),
    }
    if is_finished:
        wrong["items not done"] = per_item.exclude(handed_in=n).count()
    return wrong


def _repeated(model: type[Assignment] | type[Judgment], *fields: str) -> int:
    rows = model.objects.order_by().values(*fields).annotate(n=Count("pk"))
    return rows.filter(n__gt=1).count()


def _deadlocks() -> int:
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        row: Sequence[int] = cursor.fetchone()
    return int(row[0])
