"""The base of the API's views, and authentication by token or session."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar, cast

from django.core.cache import cache
from django.db.models import Model, QuerySet
from django.http import Http404
from django.utils.cache import add_never_cache_headers
from django_filters import FilterSet
from django_filters.rest_framework import DjangoFilterBackend
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_standardized_errors.openapi import AutoSchema
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled, ValidationError
from rest_framework.permissions import SAFE_METHODS, BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

from rarrweb.accounts import tokens
from rarrweb.accounts.http import client_address
from rarrweb.accounts.models import ApiToken, User
from rarrweb.web.api_lists import Conflict, Pages

FAILURE_LIMIT = 50
FAILURE_SECONDS = 15 * 60


class BearerAuthentication(BaseAuthentication):
    """Read `Authorization: Bearer SECRET`; the request's `auth` is then the token."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return None without that header; 401 for an invalid token, 429 for too many of them."""
        secret = tokens.bearer_secret(request._request)
        if not secret:
            return None
        token = tokens.find_token(secret)
        if token is None:
            _count_failure(client_address(request._request))
            raise AuthenticationFailed("This token is unknown, expired or revoked.")
        tokens.note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="rarrweb"'


def _count_failure(address: str) -> None:
    """Count a wrong token; raises `Throttled` above `FAILURE_LIMIT` of a known address."""
    key = f"wrong-tokens:{address}"
    if not address or cache.add(key, 1, FAILURE_SECONDS):
        return
    count = cache.incr(key)
    # A cache in the database gives an increased key the default lifetime.
    cache.touch(key, FAILURE_SECONDS)
    if count > FAILURE_LIMIT:
        raise Throttled(wait=FAILURE_SECONDS)


class ScopeAllows(BasePermission):
    """Forbid writing with a read-only token; sessions may write."""

    message = "This token may only read: create one that may write."

    def has_permission(self, request: Request, view: APIView) -> bool:
        token = request.auth
        is_reading = request.method in SAFE_METHODS
        return is_reading or not isinstance(token, ApiToken) or token.scope == token.Scope.WRITE


class IsResearcher(BasePermission):
    """Answer 404 to other users, as the researchers' pages do."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user.is_researcher:  # type: ignore[union-attr]  # follows IsAuthenticated
            raise Http404
        return True


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its base
    target_class = BearerAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A token of /account/tokens/."}


class SummarySchema(AutoSchema):
    """Use a docstring's first line as summary and the rest as description."""

    def get_summary(self) -> str:
        return super().get_description().partition("\n")[0]

    def get_description(self) -> str:  # type: ignore[override]  # as its base has it
        return super().get_description().partition("\n")[2].strip()


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
