"""Saving from the judging page: each request is idempotent and answers with the saved state."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import status
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import judging
from annotation.api.serializers import (
    AnswerSerializer,
    CommentSerializer,
    SavedSerializer,
)
from annotation.models import Assignment, Judgment
from annotation.questionnaires.types import TargetOutOfRange, UnknownCriterion, UnknownLevel


@api_view(["PUT"])
def save_judgments(request: Request, assignment_id: int) -> Response:
    """One answer, or a list of them that is saved whole or not at all.

    400 for an answer that has no place in the item, 404 for anybody but its rater, 409 when
    the campaign is closed.
    """
    assignment = _own(request, assignment_id)
    is_batch = isinstance(request.data, list)
    serializer = AnswerSerializer(data=request.data, many=is_batch)
    serializer.is_valid(raise_exception=True)
    answers = serializer.validated_data
    try:
        judgments = judging.save_judgments(assignment, answers if is_batch else [answers])
    except (UnknownCriterion, TargetOutOfRange, UnknownLevel) as error:
        return _refusal(error, status.HTTP_400_BAD_REQUEST)
    except judging.CampaignClosed as error:
        return _refusal(error, status.HTTP_409_CONFLICT)
    return _saved(assignment, judgments)


@api_view(["PUT"])
def save_comment(request: Request, assignment_id: int) -> Response:
    """The whole comment; answers as `save_judgments` does."""
    assignment = _own(request, assignment_id)
    serializer = CommentSerializer(data=request.data)
    serializer.is_valid(raise_exception=True)
    try:
        judging.save_comment(assignment, **serializer.validated_data)
    except judging.CampaignClosed as error:
        return _refusal(error, status.HTTP_409_CONFLICT)
    return _saved(assignment, list(assignment.judgments.all()))


def _own(request: Request, assignment_id: int) -> Assignment:
    return get_object_or_404(Assignment.objects.visible_to(request.user), pk=assignment_id)


def _saved(assignment: Assignment, judgments: list[Judgment]) -> Response:
    state: Any = assignment
    state.saved_at = timezone.now()
    state.saved_judgments = judgments
    return Response(SavedSerializer(state).data)


def _refusal(error: Exception, code: int) -> Response:
    return Response({"error": type(error).__name__, "message": str(error)}, status=code)
