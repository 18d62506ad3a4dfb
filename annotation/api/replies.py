"""Replies to judging pages: plain values, as serializers are too slow for every click."""

from collections.abc import Iterable
from typing import Any

from django.utils import timezone
from rest_framework.fields import DateTimeField

from annotation.models import Assignment, Judgment

_time = DateTimeField().to_representation


def state(assignment: Assignment) -> dict[str, Any]:
    """Return the assignment's state, as far as its rater may know it."""
    return {
        "id": assignment.pk,
        "saved_at": _time(timezone.now()),
        "lease_until": _time(assignment.lease_until),
        "submitted": assignment.submitted_at is not None,
        "late": assignment.is_late,
        "held": assignment.is_held,
        "skipped": assignment.skipped_at is not None,
        "released": assignment.released_at is not None,
    }


def saved(assignment: Assignment, judgments: Iterable[Judgment]) -> dict[str, Any]:
    """Add the rater's comment and judgments."""
    return {
        **state(assignment),
        "comment": assignment.comment,
        "judgments": [_judgment(each) for each in judgments],
    }


def _judgment(row: Judgment) -> dict[str, Any]:
    text = {"text": row.text} if row.text else {}
    answer = {"criterion": row.criterion, "target": row.target, "value": row.value}
    return {**answer, **text, "sequence": row.sequence}
