"""The shapes of what a judging page sends and gets."""

from typing import Any

from rest_framework import serializers

from annotation.judging import COMMENT_LIMIT, Answer
from annotation.models import Assignment, Judgment
from annotation.questionnaires.types import TEXT_LIMIT

# Sequences come from JavaScript, whose whole numbers end here.
LAST_SEQUENCE = 2**53 - 1
BATCH_LIMIT = 500


class AnswerListSerializer(serializers.ListSerializer):
    def validate(self, answers: list[Any]) -> list[Any]:
        if len(answers) > BATCH_LIMIT:
            raise serializers.ValidationError(
                f"{len(answers)} answers at once: send at most {BATCH_LIMIT}."
            )
        return answers


class LevelField(serializers.IntegerField):
    """A level's number. A page that was open before levels came still says true and false."""

    def to_internal_value(self, data: Any) -> int:
        return super().to_internal_value(int(data) if isinstance(data, bool) else data)


class AnswerSerializer(serializers.Serializer):
    """One answer: the whole new state of one target."""

    criterion = serializers.CharField(max_length=30)
    target = serializers.IntegerField(min_value=0, max_value=2**31 - 1)
    value = LevelField(min_value=0, max_value=2**31 - 1, allow_null=True)
    text = serializers.CharField(
        default="", allow_blank=True, trim_whitespace=False, max_length=TEXT_LIMIT
    )
    sequence = serializers.IntegerField(min_value=1, max_value=LAST_SEQUENCE)

    class Meta:
        list_serializer_class = AnswerListSerializer

    def to_internal_value(self, data: Any) -> Answer:
        return Answer(**super().to_internal_value(data))


class CommentSerializer(serializers.Serializer):
    text = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=COMMENT_LIMIT)
    sequence = serializers.IntegerField(min_value=1, max_value=LAST_SEQUENCE)


class JudgmentSerializer(serializers.ModelSerializer):
    class Meta:
        model = Judgment
        fields = ["criterion", "target", "value", "text", "sequence"]

    def to_representation(self, instance: Judgment) -> dict[str, Any]:
        plain = super().to_representation(instance)
        if not plain["text"]:
            del plain["text"]
        return plain


class SavedSerializer(serializers.ModelSerializer):
    """The saved state of an assignment, as its rater may see it."""

    submitted = serializers.SerializerMethodField()
    late = serializers.BooleanField(source="is_late")
    saved_at = serializers.DateTimeField()
    judgments = JudgmentSerializer(many=True, source="saved_judgments")

    class Meta:
        model = Assignment
        fields = ["id", "saved_at", "lease_until", "submitted", "late", "comment", "judgments"]

    def get_submitted(self, assignment: Assignment) -> bool:
        return assignment.submitted_at is not None
