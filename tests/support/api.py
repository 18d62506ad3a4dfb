"""Clients of the API with a token."""

from typing import Any

from django.test import Client

from rarrweb.accounts.models import ApiToken, User
from rarrweb.accounts.tokens import make_token


def api_client(user: User, *, scope: str = ApiToken.Scope.WRITE) -> Client:
    _, secret = make_token(user, name="a test", scope=scope, days=1)
    return Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {secret}"})


def errors_of(response: Any, status: int) -> list[dict[str, Any]]:
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/json"
    errors = response.json()["errors"]
    assert errors
    assert all(each["code"] and each["detail"] for each in errors)
    return errors
