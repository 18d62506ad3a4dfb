"""Errors of the API, in the format of `drf-standardized-errors`."""

from typing import Any

from drf_standardized_errors.handler import ExceptionHandler
from rest_framework import serializers
from rest_framework.exceptions import APIException


class Conflict(APIException):
    """The current state does not allow the request."""

    status_code = 409
    default_code = "conflict"


class Handler(ExceptionHandler):
    """Leave unexpected errors to Django's `handler500`."""

    def should_not_handle(self, exc: Exception) -> bool:
        return not isinstance(exc, APIException)

    def report_exception(self, exc: APIException, response: Any) -> None:
        pass  # a 503 with Retry-After is expected


class ErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    detail = serializers.CharField()
    attr = serializers.CharField(allow_null=True, help_text="The field, with dots between parts.")


class RefusalSerializer(serializers.Serializer[Any]):
    type = serializers.ChoiceField(["validation_error", "client_error", "server_error"])
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]  # a serializer's own attribute
