"""Fields that several resources have."""

from typing import Any

from rest_framework import serializers

from pipeline.metrics.inference import Estimate


class CreatedBySerializer(serializers.ModelSerializer[Any]):
    """A row with the user name of whoever made it; null where the account is gone."""

    created_by = serializers.CharField(
        source="created_by.username", default=None, allow_null=True, read_only=True
    )


class EstimateSerializer(serializers.Serializer[Estimate]):
    """A figure with what it rests on, and its 95 % interval; null ends where there is none."""

    value = serializers.FloatField()
    n = serializers.IntegerField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    note = serializers.CharField(
        help_text="Why there is no interval, or how many resamples have no value; else empty."
    )
