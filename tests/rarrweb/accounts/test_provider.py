"""Log-in with an OpenID Connect provider."""

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from rarrweb.accounts.models import User
from rarrweb.accounts.oidc import provider_settings
from tests.support.audit import audit_lines
from tests.support.factories import make_user
from tests.support.oidc_provider import CLIENT, SECRET, OidcProvider
from tests.support.second_factors import add_second_factor, code_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: Any) -> Iterator[OidcProvider]:
    with OidcProvider() as provider:
        settings.RARR_OIDC_ISSUER, settings.RARR_OIDC_NAME = provider.issuer, "Example University"
        settings.SOCIALACCOUNT_PROVIDERS = provider_settings(
            issuer=provider.issuer, name="Example University", client_id=CLIENT, secret=SECRET
        )
        yield provider


def id_of(provider: OidcProvider) -> str:
    return str(
        provider_settings(issuer=provider.issuer, name="", client_id="", secret="")[
            "openid_connect"
        ]["APPS"][0]["provider_id"]
    )


@pytest.fixture
def anna(provider: OidcProvider) -> User:
    person = make_user("anna")
    SocialAccount.objects.create(user=person, provider=id_of(provider), uid="a-1")
    return person


def begin(client: Client, provider: OidcProvider, query: str = "") -> str:
    answer = client.post(f"/log-in/provider/{id_of(provider)}/login/{query}")
    assert answer["Location"].startswith(f"{provider.issuer}/authorize?")
    return str(answer["Location"])


def log_in_again(
    client: Client, provider: OidcProvider, subject: str = "a-1", query: str = ""
) -> Any:
    return client.get(provider.log_in(begin(client, provider, query), subject=subject))


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def test_a_connected_person_is_logged_in_and_goes_on(
    client: Client, provider: OidcProvider, anna: User, caplog: pytest.LogCaptureFixture
) -> None:
    page = client.get("/log-in/?next=/tasks/").content.decode()
    assert "Log in with Example University" in page
    query = f"/log-in/provider/{id_of(provider)}/login/?process=login&amp;next=%2Ftasks%2F"
    assert query in page
    assert log_in_again(client, provider, query="?next=/tasks/")["Location"] == "/tasks/"
    assert is_in(client)
    assert audit_lines(caplog) == [f"action=logged-in actor={anna.pk}"]


def test_a_second_factor_is_requested_too(
    client: Client, provider: OidcProvider, anna: User
) -> None:
    add_second_factor(anna)
    step = log_in_again(client, provider)["Location"]
    assert step == "/account/second-factor/authenticate/"
    assert not is_in(client)
    client.post(step, {"code": code_of(anna)})
    assert is_in(client)


def test_nobody_gets_an_account_by_name_or_e_mail(
    client: Client, provider: OidcProvider, caplog: pytest.LogCaptureFixture
) -> None:
    provider.claims = {
        "email": "anna@example.org",
        "email_verified": True,
        "preferred_username": "anna",
    }
    User.objects.filter(pk=make_user("anna").pk).update(email="anna@example.org")
    response = log_in_again(client, provider, subject="unknown")
    assert "No account here is connected" in response.content.decode()
    assert not is_in(client)
    assert client.get("/account/provider/signup/").status_code == 302
    assert User.objects.count() == 1
    assert not SocialAccount.objects.exists()
    assert audit_lines(caplog) == ["action=log-in-failed how=provider"]


def test_connecting_and_disconnecting(client: Client, provider: OidcProvider) -> None:
    client.force_login(make_user("pia"))
    page = client.get("/account/provider/").content.decode()
    assert f"/log-in/provider/{id_of(provider)}/login/?process=connect" in page
    answer = log_in_again(client, provider, subject="p-1", query="?process=connect")
    assert answer["Location"] == "/account/provider/"
    log_in_again(other := Client(), provider, subject="p-1")
    assert is_in(other)
    account = SocialAccount.objects.get()
    assert account.extra_data["id_token"]["sub"] == "p-1"
    client.post("/account/provider/", {"account": account.pk})
    log_in_again(other := Client(), provider, subject="p-1")
    assert not is_in(other)


def test_another_site_cannot_begin_to_connect(provider: OidcProvider) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user("pia"))
    address = f"/log-in/provider/{id_of(provider)}/login/?process=connect"
    assert client.get(address).status_code == 200
    assert client.post(address).status_code == 403


def test_accounts_of_another_issuer_are_not_connected(
    client: Client, provider: OidcProvider, anna: User
) -> None:
    SocialAccount.objects.update(provider="login-example-edu")
    log_in_again(client, provider)
    assert not is_in(client)


@pytest.mark.parametrize(
    "claims", [{"aud": "another-client"}, {"iss": "https://another.example"}, {"exp": 1}]
)
def test_an_answer_that_is_not_genuine_logs_nobody_in(
    client: Client, provider: OidcProvider, anna: User, claims: dict[str, Any]
) -> None:
    address = begin(client, provider)
    provider.claims = claims
    response = client.get(provider.log_in(address, subject="a-1"))
    assert "The provider did not log you in" in response.content.decode()
    assert not is_in(client)


def test_a_deactivated_person_stays_out(client: Client, provider: OidcProvider, anna: User) -> None:
    User.objects.filter(pk=anna.pk).update(is_active=False)
    assert log_in_again(client, provider)["Location"] == "/log-in/inactive/"
    assert not is_in(client)


def test_a_provider_that_does_not_answer_is_reported(
    client: Client, provider: OidcProvider
) -> None:
    provider.is_away = True
    response = client.post(f"/log-in/provider/{id_of(provider)}/login/")
    assert response.status_code == 503
    assert "The provider did not log you in" in response.content.decode()


def test_without_a_provider_there_is_no_such_page(client: Client) -> None:
    assert client.post("/log-in/provider/any/login/").status_code == 404
    assert client.get("/log-in/provider/any/login/callback/?code=a&state=b").status_code == 404
    assert "Log in with" not in client.get("/log-in/").content.decode()
