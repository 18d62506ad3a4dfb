"""API tokens: creation, expiry, storage, and their page."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from rarrweb.accounts import people, tokens
from rarrweb.accounts.models import ApiToken, User
from tests.support.factories import make_user


def make(user: User, **values: object) -> tuple[ApiToken, str]:
    return tokens.make_token(user, **{"name": "cron", "scope": "read", "days": 90, **values})  # type: ignore[arg-type]


def test_the_secret_is_long_and_nowhere_in_the_database(researcher: User) -> None:
    token, secret = make(researcher)
    assert len(secret) >= len("rarrweb_") + 43  # 256 bits
    assert secret.startswith(token.prefix)
    row = ApiToken.objects.values().get()
    assert not any(secret in str(value) for value in row.values())
    assert tokens.find_token(secret) == token
    assert tokens.find_token(secret[:-1]) is None


def test_an_expired_a_revoked_and_a_shut_accounts_token_let_nobody_in(
    researcher: User, administrator: User
) -> None:
    expired, of_expired = make(researcher)
    ApiToken.objects.update(expires_at=timezone.now())
    revoked, of_revoked = make(researcher)
    tokens.revoke_token(revoked)
    _, stored = make(researcher)
    assert tokens.find_token(of_expired) is tokens.find_token(of_revoked) is None
    assert tokens.find_token(stored)

    people.deactivate(researcher, changed_by=administrator)
    assert tokens.find_token(stored) is None
    people.reactivate(researcher)
    assert tokens.find_token(stored) is None, "they end for good"
    assert expired.is_expired is False, "as it was when it was made"


def test_who_is_no_researcher_any_more_has_no_tokens(researcher: User, administrator: User) -> None:
    _, secret = make(researcher)
    people.change_role(researcher, role="administrator", changed_by=administrator)
    assert tokens.find_token(secret)
    people.change_role(researcher, role="", changed_by=administrator)
    people.change_role(researcher, role="researcher", changed_by=administrator)
    assert tokens.find_token(secret) is None


def test_its_use_is_noted_once_a_minute(researcher: User) -> None:
    token, secret = make(researcher)
    tokens.note_use(token)
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    token = tokens.find_token(secret)
    assert token is not None
    tokens.note_use(token)
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    token.refresh_from_db()
    tokens.note_use(token)
    assert ApiToken.objects.get().last_used_at >= first


def test_the_page_shows_a_new_secret_once(as_researcher: Client, researcher: User) -> None:
    sent = {"name": "My cron job", "scope": "write", "days": "30"}
    as_researcher.post("/account/tokens/", sent | {"days": "366"})
    assert not ApiToken.objects.exists(), "more than a year"
    page = as_researcher.post("/account/tokens/", sent).content.decode()
    (secret,) = set(re.findall(r"rarrweb_[\w-]{40,}", page))
    token = tokens.find_token(secret)
    assert token is not None
    assert (token.name, token.scope, token.user) == ("My cron job", "write", researcher)
    days = token.expires_at - timezone.now()
    assert timedelta(days=29, hours=23) < days <= timedelta(days=30)
    again = as_researcher.get("/account/tokens/").content.decode()
    assert "My cron job" in again
    assert secret not in again


def test_users_revoke_only_their_tokens(as_researcher: Client, researcher: User) -> None:
    other, theirs = make(make_user(role="researcher"))
    mine, secret = make(researcher)
    assert as_researcher.post(f"/account/tokens/{other.pk}/revoke/").status_code == 404
    assert tokens.find_token(theirs)
    as_researcher.post(f"/account/tokens/{mine.pk}/revoke/")
    assert tokens.find_token(secret) is None
    assert "Revoke the token" not in as_researcher.get("/account/tokens/").content.decode()


@pytest.mark.parametrize("method", ["get", "post"])
def test_raters_have_no_such_page(client: Client, annotator: User, method: str) -> None:
    client.force_login(annotator)
    assert getattr(client, method)("/account/tokens/").status_code == 404
    assert "API tokens" not in client.get("/account/").content.decode()
