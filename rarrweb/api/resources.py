"""The base of the API's views."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar, cast

from django.db.models import Model, QuerySet
from django.utils.cache import add_never_cache_headers
from django_filters import FilterSet
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.viewsets import GenericViewSet

from rarrweb.accounts.models import User
from rarrweb.api.authentication import BearerAuthentication, IsResearcher, ScopeAllows
from rarrweb.web.api_errors import Conflict
from rarrweb.web.api_lists import Pages

Row = TypeVar("Row", bound=Model)
Actions = dict[str, Any]
"""HTTP method → a view's action."""


class Resource(GenericViewSet[Row]):
    """A resource for researchers; `get_queryset` filters by user, `queryset` names the model."""

    authentication_classes = [BearerAuthentication, SessionAuthentication]
    permission_classes = [IsAuthenticated, ScopeAllows, IsResearcher]
    filter_backends = [DjangoFilterBackend]
    filterset_class: ClassVar[type[FilterSet]] = FilterSet
    pagination_class = Pages
    parameters: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Action → additional query parameters."""
    conflicts: ClassVar[tuple[type[Exception], ...]] = ()
    """Errors that the API reports as conflicts."""

    @property
    def user(self) -> User:
        return cast(User, self.request.user)

    def initial(self, request: Request, *args: Any, **values: Any) -> None:
        """Refuse unknown query parameters: a mistyped filter would select all rows."""
        super().initial(request, *args, **values)
        known = set(self.parameters.get(self.action or "", ()))
        if self.action == "list":
            known |= {"cursor", "limit", *self.filterset_class.base_filters}
        allowed = f"Write each once; allowed here: {', '.join(sorted(known)) or 'none'}."
        given = request.query_params.lists()
        if wrong := {name[:50]: allowed for name, all_ in given if name not in known or all_[1:]}:
            raise ValidationError(wrong)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return super().filter_queryset(queryset) if self.action == "list" else queryset

    def handle_exception(self, exc: Exception) -> Any:
        return super().handle_exception(
            Conflict(str(exc)) if isinstance(exc, self.conflicts) else exc
        )

    def finalize_response(self, request: Request, response: Any, *args: Any, **values: Any) -> Any:
        response = super().finalize_response(request, response, *args, **values)
        add_never_cache_headers(response)
        return response
