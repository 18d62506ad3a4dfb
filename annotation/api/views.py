"""Saving from judging pages; each request is idempotent and returns the saved state."""

from collections.abc import Iterable
from typing import Any, cast

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.fields import DateTimeField
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.judging import activity
from annotation.judging import answers as judging
from annotation.judging.access import assignment_of_rater
from annotation.judging.activity import Visit
from annotation.judging.answers import COMMENT_LIMIT, AnswerUpdate, Comment
from annotation.models import Assignment, Judgment
from annotation.questionnaires.types import TEXT_LIMIT, InvalidAnswer
from rarrweb.accounts.models import User
from rarrweb.web.api_lists import Conflict

# The largest safe integer of JavaScript.
LAST_SEQUENCE = 2**53 - 1
BATCH_LIMIT = 500
MAX_VISIT_MS = 31 * 24 * 3600 * 1000
MAX_CLICKS = 1_000_000


class AnswerSerializer(serializers.Serializer[None]):
    """The whole new state of one target."""

    criterion = serializers.CharField(max_length=30)
    target = serializers.IntegerField(min_value=0, max_value=2**31 - 1)
    value = serializers.IntegerField(min_value=0, max_value=2**31 - 1, allow_null=True)
    text = serializers.CharField(
        default="", allow_blank=True, trim_whitespace=False, max_length=TEXT_LIMIT
    )
    sequence = serializers.IntegerField(min_value=1, max_value=LAST_SEQUENCE)
    guidelines = serializers.IntegerField(
        source="guidelines_version", default=None, allow_null=True, min_value=1, max_value=2**31 - 1
    )

    def to_internal_value(self, data: Any) -> AnswerUpdate:
        return AnswerUpdate(**super().to_internal_value(data))


class VisitSerializer(serializers.Serializer[None]):
    """The totals of a page so far, and whether there was input."""

    id = serializers.UUIDField()
    active_ms = serializers.IntegerField(default=0, min_value=0, max_value=MAX_VISIT_MS)
    idle_ms = serializers.IntegerField(default=0, min_value=0, max_value=MAX_VISIT_MS)
    clicks = serializers.IntegerField(default=0, min_value=0, max_value=MAX_CLICKS)
    keys = serializers.IntegerField(default=0, min_value=0, max_value=MAX_CLICKS)
    is_active = serializers.BooleanField(default=False)

    def to_internal_value(self, data: Any) -> Visit:
        return Visit(**super().to_internal_value(data))


class CommentSerializer(serializers.Serializer[None]):
    text = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=COMMENT_LIMIT)
    sequence = serializers.IntegerField(min_value=1, max_value=LAST_SEQUENCE)

    def to_internal_value(self, data: Any) -> Comment:
        return Comment(**super().to_internal_value(data))


class SaveSerializer(serializers.Serializer[None]):
    """What one request saves: answers, the comment, and the visit that they come from."""

    answers = serializers.ListField(child=AnswerSerializer(), max_length=BATCH_LIMIT)
    comment = CommentSerializer(required=False, allow_null=True, default=None)
    visit = VisitSerializer(required=False, allow_null=True, default=None)


_time = DateTimeField().to_representation


@extend_schema(exclude=True)
@api_view(["PUT"])
def save_judgments(request: Request, assignment_id: int) -> Response:
    """Save `{"answers": […], "comment": {…}, "visit": {…}}` whole or not at all.

    400 for an answer that does not fit the item, 404 for everybody but its rater, 409 when the
    campaign is closed or a submitted item would lack a required answer.
    """
    assignment = Assignment(pk=assignment_id, rater=cast(User, request.user))
    data = _validated(SaveSerializer(data=request.data), assignment)
    try:
        judgments = judging.save_judgments(assignment, **data)
    except InvalidAnswer as error:
        raise ValidationError(str(error), type(error).__name__) from None
    except (judging.ChangeRefused, judging.WouldBeIncomplete) as error:
        raise Conflict(str(error), type(error).__name__) from None
    return Response(_saved(assignment, judgments))


@extend_schema(exclude=True)
@api_view(["PUT"])
def save_visit(request: Request, assignment_id: int) -> Response:
    """Save a visit's totals without an answer, and answer with the assignment's state.

    404 for everybody but its rater.
    """
    assignment = Assignment(pk=assignment_id, rater=cast(User, request.user))
    activity.save_visit(assignment, _validated(VisitSerializer(data=request.data), assignment))
    return Response(_state(assignment))


def _validated(serializer: serializers.Serializer[None], assignment: Assignment) -> Any:
    """Return the serializer's data; 404 before 400 if the assignment is not the user's."""
    if not serializer.is_valid():
        assignment_of_rater(assignment.rater, assignment.pk)
        raise ValidationError(serializer.errors)
    return serializer.validated_data


# Plain values, as serializers are too slow for every click.
def _state(assignment: Assignment) -> dict[str, Any]:
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


def _saved(assignment: Assignment, judgments: Iterable[Judgment]) -> dict[str, Any]:
    """Add the rater's comment and judgments."""
    rows = [
        {
            "criterion": row.criterion,
            "target": row.target,
            "value": row.value,
            **({"text": row.text} if row.text else {}),
            "sequence": row.sequence,
        }
        for row in judgments
    ]
    return {**_state(assignment), "comment": assignment.comment, "judgments": rows}
