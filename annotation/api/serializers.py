"""The requests of a judging page."""

from typing import Any

from rest_framework import serializers

from annotation.judging.activity import Visit
from annotation.judging.answers import COMMENT_LIMIT, AnswerUpdate, Comment
from annotation.questionnaires.types import TEXT_LIMIT

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
        default=None, allow_null=True, min_value=1, max_value=2**31 - 1
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
