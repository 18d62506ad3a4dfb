"""The base of the API's views."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar, cast

from django.db.models import Model
from django.utils.cache import add_never_cache_headers
from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.viewsets import GenericViewSet

from pipeline.pages.paging import Order
from rarrweb.accounts.models import User
from rarrweb.api import problems
from rarrweb.api.authentication import BearerAuthentication, IsResearcher, ScopeAllows
from rarrweb.api.lists import (
    NEWEST_FIRST,
    PAGE_PARAMETERS,
    AllowedFilters,
    Filter,
    KeyPages,
    check_parameters,
)
from rarrweb.json_parser import ShallowJSONParser

Row = TypeVar("Row", bound=Model)
Actions = dict[str, Any]
"""HTTP method → a view's action."""


class Resource(GenericViewSet[Row]):
    """A kind of thing under an address of its own, for researchers and their programs.

    `get_queryset` begins at the user, as the pages do. A list is narrowed by `filters` and sorted
    by one of `orders`, of which the first is usual.
    """

    authentication_classes = [BearerAuthentication, SessionAuthentication]
    permission_classes = [IsAuthenticated, ScopeAllows, IsResearcher]
    parser_classes = [ShallowJSONParser]
    renderer_classes = [JSONRenderer]
    filter_backends = [AllowedFilters]
    pagination_class = KeyPages
    tag: ClassVar[str]
    """Under which its operations stand in the schema."""
    filters: ClassVar[tuple[Filter, ...]] = ()
    orders: ClassVar[Mapping[str, Order]] = NEWEST_FIRST
    parameters: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Action → the query parameters that it has besides a list's."""

    @property
    def user(self) -> User:
        return cast(User, self.request.user)

    def initial(self, request: Request, *args: Any, **values: Any) -> None:
        super().initial(request, *args, **values)
        allowed = set(self.parameters.get(self.action or "", ()))
        if self.action == "list":
            allowed |= {*PAGE_PARAMETERS, *(each.name for each in self.filters)}
        check_parameters(request, allowed)

    def finalize_response(self, request: Request, response: Any, *args: Any, **values: Any) -> Any:
        response = super().finalize_response(request, response, *args, **values)
        add_never_cache_headers(response)  # what one token may see is for no cache
        return response

    def get_exception_handler(self) -> Any:
        return problems.handle
