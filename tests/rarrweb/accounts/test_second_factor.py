"""Second factors."""

import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from pytest_django import Settings

from rarrweb.accounts.models import User
from tests.support.audit import audit_lines
from tests.support.factories import make_user
from tests.support.second_factors import add_second_factor, code_by, code_of, recovery_codes_of

pytestmark = pytest.mark.django_db
PASSWORD = "a long test password"
ACTIVATE = "/account/second-factor/totp/activate/"
CONFIRM = "/account/confirm/"
STEP = "/account/second-factor/authenticate/"


@pytest.fixture
def anna() -> User:
    person = make_user("anna")
    add_second_factor(person)
    return person


def log_in(client: Client, name: str = "anna", onward: str = "") -> Any:
    return client.post("/log-in/", {"login": name, "password": PASSWORD, "next": onward})


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def has_factor(person: User) -> bool:
    return Authenticator.objects.filter(user=person, type="totp").exists()


def activate(client: Client) -> str:
    page = client.get(ACTIVATE, follow=True)
    assert page.redirect_chain[-1][0].startswith(CONFIRM)
    client.post(page.redirect_chain[-1][0], {"password": PASSWORD, "next": ACTIVATE})
    page = client.get(ACTIVATE)
    assert "img-src 'self' data:" in page["Content-Security-Policy"]
    secret = re.search(r'value="([A-Z2-7]{32})"', page.content.decode())
    assert secret is not None
    wrong = client.post(ACTIVATE, {"code": "000000"})
    assert "Incorrect code" in wrong.content.decode()
    return client.post(ACTIVATE, {"code": code_by(secret[1])}, follow=True).content.decode()


@pytest.mark.django_db(transaction=True)
def test_setting_it_up_shows_recovery_codes_and_ends_other_sessions(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    person, other = make_user("pia"), Client()
    log_in(client, "pia")
    log_in(other, "pia")
    page = activate(client)
    assert has_factor(person)
    assert all(code in page for code in recovery_codes_of(person))
    assert (is_in(client), is_in(other)) == (True, False)
    event = f"action=second-factor-on actor={person.pk} subject=user:{person.pk}"
    assert event in audit_lines(caplog)


def test_the_password_alone_opens_nothing_and_secrets_are_encrypted(
    client: Client, anna: User
) -> None:
    stored = str(Authenticator.objects.values_list("data", flat=True))
    assert stored.count("gAAAA") == 2  # how a Fernet token begins
    assert log_in(client, onward="/tasks/")["Location"] == STEP
    assert not is_in(client)
    assert client.post(STEP, {"code": code_of(anna)})["Location"] == "/tasks/"
    assert is_in(client)


@pytest.mark.parametrize(("steps", "lets_in"), [(-3, False), (-1, True), (1, True), (3, False)])
def test_a_clock_may_be_wrong_by_one_step(
    client: Client, anna: User, steps: int, lets_in: bool
) -> None:
    log_in(client)
    client.post(STEP, {"code": code_of(anna, steps=steps)})
    assert is_in(client) == lets_in


def test_a_recovery_code_works_once(
    client: Client, anna: User, caplog: pytest.LogCaptureFixture
) -> None:
    code, *_ = recovery_codes_of(anna)
    for browser, lets_in in ((client, True), (Client(), False)):
        log_in(browser)
        browser.post(STEP, {"code": code})
        assert is_in(browser) == lets_in
    assert audit_lines(caplog).count(f"action=recovery-code-used subject=user:{anna.pk}") == 1


def test_codes_are_limited_from_all_addresses_together(
    client: Client, anna: User, caplog: pytest.LogCaptureFixture
) -> None:
    log_in(client)
    for number in range(10):
        client.post(STEP, {"code": "000000"}, REMOTE_ADDR=f"192.0.2.{number}")
    log_in(client)
    answer = client.post(STEP, {"code": code_of(anna)}, REMOTE_ADDR="192.0.2.99")
    assert "Too many attempts have failed" in answer.content.decode()
    assert not is_in(client)
    assert audit_lines(caplog).count(f"action=second-step-failed subject=user:{anna.pk}") == 10


def test_no_name_typed_at_the_log_in_counts_as_wrong_codes(client: Client, anna: User) -> None:
    for _ in range(10):
        log_in(Client(), name=f"mfa-auth-user-{anna.pk}")
    log_in(client)
    client.post(STEP, {"code": code_of(anna)})
    assert is_in(client)


def test_a_changed_secret_key_is_explained(client: Client, anna: User, settings: Settings) -> None:
    settings.SECRET_KEY = "another key " * 5
    log_in(client)
    answer = client.post(STEP, {"code": "000000"})
    assert answer.status_code == 200
    assert "The secret key of this installation has changed" in answer.content.decode()
    client.force_login(anna)
    client.post(CONFIRM, {"password": PASSWORD})
    for page in ("", "recovery-codes/"):
        answer = client.get(f"/account/second-factor/{page}")
        assert answer.status_code == 409
        assert "The secret key of this installation has changed" in answer.content.decode()


def test_removing_it_needs_the_password_or_a_code_and_ends_other_sessions(
    client: Client, anna: User
) -> None:
    other, page = Client(), "/account/second-factor/totp/deactivate/"
    other.force_login(anna)
    client.force_login(anna)
    assert client.post(page)["Location"].startswith(CONFIRM)
    assert has_factor(anna)
    client.post("/account/second-factor/reauthenticate/", {"code": code_of(anna)})
    client.post(page)
    assert not Authenticator.objects.filter(user=anna).exists()
    assert (is_in(client), is_in(other)) == (True, False)
    assert log_in(Client())["Location"] == "/"


def test_an_administrator_resets_a_lost_one(
    administrator: User, anna: User, caplog: pytest.LogCaptureFixture
) -> None:
    admin, browser = Client(), Client()
    admin.force_login(administrator)
    browser.force_login(anna)
    assert "Reset second factor" in admin.get("/people/").content.decode()
    admin.post(f"/people/{anna.pk}/second-factor/reset/")
    assert not is_in(browser)
    assert log_in(browser)["Location"] == "/"
    by_and_whom = f"actor={administrator.pk} subject=user:{anna.pk}"
    assert f"action=second-factor-reset {by_and_whom}" in audit_lines(caplog)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("required", "role", "is_led"),
    [
        ("optional", "administrator", False),
        ("administrators", "administrator", True),
        ("administrators", "researcher", False),
        ("researchers", "researcher", True),
        ("researchers", "administrator", True),
        ("researchers", "", False),
    ],
)
def test_people_who_need_one_open_nothing_without_it(
    client: Client, settings: Any, required: str, role: str, is_led: bool
) -> None:
    settings.RARR_SECOND_FACTOR = required
    make_user("pia", role=role)
    log_in(client, "pia")
    assert is_in(client) != is_led
    if not is_led:
        return
    assert client.get("/datasets/")["Location"] == ACTIVATE
    assert client.get("/api/datasets/").status_code == 302
    activate(client)
    assert is_in(client)
