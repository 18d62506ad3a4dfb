"""Pagination, filters and errors of the API."""

from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet
from django_filters import CharFilter, FilterSet, TypedChoiceFilter
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from drf_standardized_errors.handler import ExceptionHandler
from rest_framework import serializers
from rest_framework.exceptions import APIException, NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView


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


class Pages(CursorPagination):
    ordering = "-id"
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 500

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except ValueError:  # a forged cursor, whose position is no number
            raise NotFound(self.invalid_cursor_message) from None


class OldestFirst(Pages):
    ordering = "id"


@extend_schema_field(OpenApiTypes.BOOL)
class TrueOrFalse(TypedChoiceFilter):
    """A filter by a truth value; `BooleanFilter` would ignore invalid values."""

    def __init__(self, **options: Any) -> None:
        choices = [("true", "true"), ("false", "false")]
        super().__init__(choices=choices, coerce=lambda value: value == "true", **options)


class WordsFilter(CharFilter):
    """List rows with a text in one of `fields`."""

    def __init__(self, *fields: str, help_text: str) -> None:
        super().__init__(max_length=200, help_text=help_text)
        self.fields = fields

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        return qs.filter(reduce(or_, (Q(**{f"{name}__icontains": value}) for name in self.fields)))


class ArchivedFilters(FilterSet):
    """List only archived rows with `archived=true`, and otherwise only others."""

    archived = TrueOrFalse(field_name="archived_at", lookup_expr="isnull", exclude=True)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().filter_queryset(queryset)
        return rows if self.data.get("archived") else rows.filter(archived_at=None)
