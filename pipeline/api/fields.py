"""Fields of several resources."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from pipeline.metrics.inference import Estimate
from pipeline.rarr.errors import BadConfig

NAMED = ("slug", "name", "description")
CREATED = ("created_by", "created_at", "archived_at")
WORKED = ("started_at", "finished_at")
"""Fields of several serializers."""


def config_error(refusal: BadConfig, *, field: str = "") -> ValidationError:
    """Return the refusal as an error of `field`, by default its own."""
    return ValidationError({field or refusal.field or "non_field_errors": [str(refusal)]})


class VisibleSlugField(serializers.SlugRelatedField[Any]):
    """The slug of a visible row that is not archived."""

    def __init__(self, rows: Any, **options: Any) -> None:
        super().__init__(slug_field="slug", queryset=rows, **options)

    def get_queryset(self) -> Any:
        rows: Any = super().get_queryset()
        return rows.visible_to(self.context["request"].user).current()

    def to_internal_value(self, data: Any) -> Any:
        if "\0" in str(data):  # PostgreSQL accepts no such text in a query
            self.fail("does_not_exist", slug_name="slug", value=str(data).replace("\0", ""))
        return super().to_internal_value(data)


class CreatedBySerializer(serializers.ModelSerializer[Any]):
    """A row with its creator's user name; null if the account was deleted."""

    created_by = serializers.CharField(
        source="created_by.username", default=None, allow_null=True, read_only=True
    )


class EstimateSerializer(serializers.Serializer[Estimate]):
    """A figure with its n and 95 % interval; null ends if there is none."""

    value = serializers.FloatField()
    n = serializers.IntegerField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    note = serializers.CharField(help_text="Why there is no interval; else empty.")
