"""Authentication by token or session, for researchers only."""

from typing import Any

from django.core.cache import cache
from django.http import Http404
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from rarrweb.accounts import tokens
from rarrweb.accounts.client_address import client_address
from rarrweb.accounts.models import ApiToken, User

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
    if address and not cache.add(key, 1, FAILURE_SECONDS) and cache.incr(key) > FAILURE_LIMIT:
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
