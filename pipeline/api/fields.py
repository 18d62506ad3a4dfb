"""Fields and parameters that several resources have."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from pipeline.metrics.inference import Estimate

LINES = "lines"
"""The query parameter that names the format of the lines of a download."""


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


def lines_parameter(known: Sequence[str]) -> OpenApiParameter:
    return OpenApiParameter(
        LINES, enum=list(known), default=known[0], description="The format of the lines."
    )


def chosen_lines(request: Request, known: Sequence[str]) -> str:
    """Raises `ValidationError`."""
    name: str = request.query_params.get(LINES, known[0])
    if name not in known:
        raise serializers.ValidationError({LINES: f"Choose one of {', '.join(known)}."})
    return name
