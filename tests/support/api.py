"""Programs that use the API: clients with a token."""

from typing import Any

from django.test import Client

from rarrweb.accounts.models import ApiToken, User
from rarrweb.accounts.tokens import make_token


def api_client(user: User, *, scope: str = ApiToken.Scope.WRITE) -> Client:
    """A client that sends a token of the user with each request, and never a cookie."""
    _, secret = make_token(user, name="a test", scope=scope, days=1)
    return Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {secret}"})


def problem_of(response: Any, status: int) -> dict[str, Any]:
    """The problem that a response tells, once it is one of that status."""
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/problem+json"
    found: dict[str, Any] = response.json()
    assert found["status"] == status
    assert found["detail"]
    return found
