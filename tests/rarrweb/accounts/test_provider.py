"""Logging in at a provider: only accounts that are connected, only answers that are genuine."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from rarrweb.accounts import second_factor
from rarrweb.accounts.models import ProviderIdentity, User
from tests.rarrweb.accounts.test_second_factor import code_of
from tests.support.audit import audit_lines
from tests.support.factories import make_user
from tests.support.oidc_provider import CLIENT, FOREIGN_KEY, KEY, SECRET, OidcProvider

pytestmark = pytest.mark.django_db
GO = "/log-in/provider/"


@pytest.fixture
def provider(settings: Any) -> Iterator[OidcProvider]:
    with OidcProvider() as provider:
        settings.RARR_OIDC_ISSUER = provider.issuer
        settings.RARR_OIDC_CLIENT_ID, settings.RARR_OIDC_CLIENT_SECRET = CLIENT, SECRET
        settings.RARR_OIDC_NAME = "Example University"
        yield provider


@pytest.fixture
def anna(provider: OidcProvider) -> User:
    """Whose account is connected with the subject "a-1"."""
    person = make_user("anna")
    ProviderIdentity.objects.create(user=person, issuer=provider.issuer, subject="a-1")
    return person


def come_back(client: Client, provider: OidcProvider, subject: str = "a-1", query: str = "") -> Any:
    """All of the way by the provider."""
    address = client.get(GO + query)["Location"]
    assert address.startswith(f"{provider.issuer}/authorize?")
    return client.get(provider.log_in(address, subject=subject))


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def test_a_connected_person_is_logged_in_and_goes_where_they_wanted(
    client: Client, provider: OidcProvider, anna: User, caplog: pytest.LogCaptureFixture
) -> None:
    assert "Log in with Example University" in client.get("/log-in/").content.decode()
    assert come_back(client, provider, query="?next=/tasks/")["Location"] == "/tasks/"
    assert is_in(client)
    assert audit_lines(caplog) == [f"action=logged-in actor={anna.pk}"]


def test_nobody_gets_an_account(
    client: Client, provider: OidcProvider, caplog: pytest.LogCaptureFixture
) -> None:
    provider.claims = {"email": "anna@example.org", "preferred_username": "anna"}
    make_user("anna")
    response = come_back(client, provider, subject="unknown")
    assert response.status_code == 403
    assert "No account here is connected" in response.content.decode()
    assert not is_in(client)
    assert User.objects.count() == 1
    assert audit_lines(caplog) == ["action=log-in-failed how=provider"]


def test_connecting_and_disconnecting_on_the_account_page(
    client: Client, provider: OidcProvider
) -> None:
    pia = make_user("pia")
    client.force_login(pia)
    assert "Connect, to log in with it" in client.get("/account/").content.decode()
    assert come_back(client, provider, subject="p-1")["Location"] == "/account/"
    assert "You can log in with it." in client.get("/account/").content.decode()
    other = Client()
    come_back(other, provider, subject="p-1")
    assert is_in(other)
    client.post("/account/provider/disconnect/")
    assert come_back(Client(), provider, subject="p-1").status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_no_other_site_begins_to_connect(client: Client, provider: OidcProvider, site: str) -> None:
    client.force_login(make_user("pia"))
    assert client.get(GO, headers={"Sec-Fetch-Site": site})["Location"] == "/account/"
    assert provider.issuer in Client().get(GO, headers={"Sec-Fetch-Site": site})["Location"]


def test_one_subject_logs_in_as_one_person(
    client: Client, provider: OidcProvider, anna: User
) -> None:
    client.force_login(make_user("mallory"))
    response = come_back(client, provider)
    assert "connected already" in response.content.decode()
    assert ProviderIdentity.objects.get().user == anna


def test_who_is_connected_is_who_began(client: Client, provider: OidcProvider) -> None:
    client.force_login(make_user("pia"))
    address = client.get(GO)["Location"]
    client.force_login(make_user("olga"))  # in the same browser, before the way back
    client.get(provider.log_in(address, subject="p-1"))
    assert not ProviderIdentity.objects.exists()


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("claims", {"nonce": "another"}),
        ("claims", {"aud": "another-client"}),
        ("claims", {"iss": "https://another.example"}),
        ("claims", {"exp": 1}),
        ("claims", {"sub": None}),
        ("key", FOREIGN_KEY),
        ("metadata", {"issuer": "https://another.example"}),
    ],
)
def test_an_answer_that_is_not_genuine_logs_nobody_in(
    client: Client, provider: OidcProvider, anna: User, what: str, value: Any
) -> None:
    address = client.get(GO)["Location"]
    setattr(provider, what, value)
    response = client.get(provider.log_in(address, subject="a-1"))
    assert response.status_code == 403
    assert not is_in(client)


@pytest.mark.parametrize(
    ("algorithm", "secret"),
    [("none", b""), ("HS256", SECRET.encode()), ("HS256", KEY.as_pem(private=False))],
)
def test_no_signature_and_one_that_others_can_make_are_none(
    client: Client, provider: OidcProvider, anna: User, algorithm: str, secret: bytes
) -> None:
    provider.header, provider.key = {"alg": algorithm, "kid": "one"}, secret
    assert come_back(client, provider).status_code == 403
    provider.metadata = {"id_token_signing_alg_values_supported": [algorithm]}
    assert come_back(client, provider).status_code == 403
    assert not is_in(client)


def test_the_way_back_needs_the_way_there(
    client: Client, provider: OidcProvider, anna: User
) -> None:
    address = client.get(GO)["Location"]
    back = provider.log_in(address, subject="a-1")
    assert Client().get(back).status_code == 403  # another browser: a link from somebody else
    assert client.get(back.replace("state=", "state=x")).status_code == 403
    assert client.get("/log-in/provider/back/").status_code == 403
    assert client.get("/log-in/provider/back/?error=access_denied").status_code == 403
    assert not is_in(client)


def test_no_answer_works_twice(client: Client, provider: OidcProvider, anna: User) -> None:
    address = client.get(GO)["Location"]
    back = provider.log_in(address, subject="a-1")
    client.get(back)
    client.post("/log-out/")
    assert client.get(back).status_code == 403


def test_the_second_factor_is_asked_all_the_same(
    client: Client, provider: OidcProvider, anna: User
) -> None:
    factor = second_factor.new_factor(anna)
    second_factor.confirm(factor, code_of(factor))
    assert come_back(client, provider)["Location"] == "/log-in/code/"
    assert not is_in(client)


def test_an_account_that_was_shut_stays_so(
    client: Client, provider: OidcProvider, anna: User
) -> None:
    User.objects.filter(pk=anna.pk).update(is_active=False)
    assert come_back(client, provider).status_code == 403


def test_a_provider_that_is_away_is_told_in_a_sentence(
    client: Client, provider: OidcProvider
) -> None:
    provider.is_away = True
    response = client.get(GO)
    assert response.status_code == 503
    assert "does not answer as it should" in response.content.decode()


def test_nothing_is_there_while_it_is_off(client: Client) -> None:
    assert client.get(GO).status_code == 404
    assert client.get("/log-in/provider/back/?code=a&state=b").status_code == 404
    assert "Log in with" not in client.get("/log-in/").content.decode()
