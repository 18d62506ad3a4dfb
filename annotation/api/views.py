"""Saving from judging pages; each request is idempotent and returns the saved state."""

from typing import cast

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api import replies
from annotation.api.serializers import (
    AnswersSerializer,
    CommentSerializer,
    VisitSerializer,
)
from annotation.judging import activity
from annotation.judging import answers as judging
from annotation.judging.access import own_unread
from annotation.models import Assignment
from annotation.questionnaires.types import TargetOutOfRange, UnknownCriterion, UnknownLevel
from rarrweb.accounts.models import User
from rarrweb.web.api_errors import Conflict


@extend_schema(exclude=True)
@api_view(["PUT"])
def save_judgments(request: Request, assignment_id: int) -> Response:
    """Save `{"answers": […], "visit": {…}}` (visit optional), all or nothing.

    400 for an unknown target, 404 unless the user is the rater, 409 when the campaign is closed or
    a submitted item would lack a required answer.
    """
    assignment = _own(request, assignment_id)
    serializer = AnswersSerializer(data=request.data)
    serializer.is_valid(raise_exception=True)
    try:
        judgments = judging.save_judgments(assignment, **serializer.validated_data)
    except (UnknownCriterion, TargetOutOfRange, UnknownLevel) as error:
        raise ValidationError(str(error), type(error).__name__) from None
    except (judging.CampaignClosed, judging.SubmissionIncomplete) as error:
        raise Conflict(str(error), type(error).__name__) from None
    return Response(replies.saved(assignment, judgments))


@extend_schema(exclude=True)
@api_view(["PUT"])
def save_comment(request: Request, assignment_id: int) -> Response:
    """Save the whole comment; replies as `save_judgments`."""
    assignment = _own(request, assignment_id)
    serializer = CommentSerializer(data=request.data)
    serializer.is_valid(raise_exception=True)
    try:
        judging.save_comment(assignment, **serializer.validated_data)
    except judging.CampaignClosed as error:
        raise Conflict(str(error), type(error).__name__) from None
    judgments = judging.judgments_of(assignment).values()
    return Response(replies.saved(assignment, judgments))


@extend_schema(exclude=True)
@api_view(["PUT"])
def save_visit(request: Request, assignment_id: int) -> Response:
    """Save a visit's totals; reply with the assignment's state, 404 unless it is the user's."""
    assignment = _own(request, assignment_id)
    serializer = VisitSerializer(data=request.data)
    serializer.is_valid(raise_exception=True)
    activity.report(assignment, serializer.validated_data)
    return Response(replies.state(assignment))


def _own(request: Request, assignment_id: int) -> Assignment:
    return own_unread(cast(User, request.user), assignment_id)
