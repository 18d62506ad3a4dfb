"""The second step of a log-in: asked where it is set up, of nobody else, once a code."""

import re
from datetime import timedelta
from typing import Any

import pyotp
import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from rarrweb.accounts import second_factor
from rarrweb.accounts.models import RecoveryCode, SecondFactor, User
from tests.support.audit import audit_lines
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db
PASSWORD = "a long test password"
PAGE = "/account/second-factor/"
STEP = "/log-in/code/"


@pytest.fixture
def anna() -> User:
    """With a factor that is on."""
    person = make_user("anna")
    factor = second_factor.new_factor(person)
    assert second_factor.confirm(factor, code_of(factor, steps=-1))
    return person


def code_of(factor: SecondFactor, *, steps: int = 0) -> str:
    """The app's code of now, or of some steps away."""
    at = timezone.now() + timedelta(seconds=30 * steps)
    return pyotp.TOTP(second_factor.secret_of(factor)).at(at)


def log_in(client: Client, name: str = "anna", onward: str = "") -> Any:
    return client.post("/log-in/", {"username": name, "password": PASSWORD, "next": onward})


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def test_setting_it_up_shows_key_picture_and_codes_once(client: Client) -> None:
    person = make_user("pia")
    client.force_login(person)
    assert client.get(f"{PAGE}picture.svg").status_code == 404
    page = client.post(PAGE, {"action": "begin"}, follow=True).content.decode()
    factor = SecondFactor.objects.get(user=person)
    secret = second_factor.secret_of(factor)
    assert secret in page
    assert secret not in factor.secret
    picture = client.get(f"{PAGE}picture.svg")
    assert picture["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert b"style" not in picture.content
    wrong = client.post(PAGE, {"action": "confirm", "code": "000000"}).content.decode()
    assert "not the app’s code" in wrong
    assert second_factor.factor_of(person) is None
    page = client.post(PAGE, {"action": "confirm", "code": code_of(factor)}).content.decode()
    codes = re.findall(r"<li>([a-z2-7]{4}(?:-[a-z2-7]{4}){5})</li>", page)
    assert len(set(codes)) == second_factor.RECOVERY_CODES
    assert codes[0] not in client.get(PAGE).content.decode()
    assert codes[0].replace("-", "") not in str(RecoveryCode.objects.values())
    assert client.get(f"{PAGE}picture.svg").status_code == 404


def test_the_password_alone_opens_nothing(client: Client, anna: User) -> None:
    response = log_in(client, onward="/tasks/")
    assert response["Location"] == STEP
    assert not is_in(client)
    code = code_of(anna.second_factor)
    assert client.post(STEP, {"code": code})["Location"] == "/tasks/"
    assert is_in(client)


def test_a_code_works_once(client: Client, anna: User) -> None:
    code = code_of(anna.second_factor)
    log_in(client)
    client.post(STEP, {"code": code})
    other = Client()
    log_in(other)
    assert "was used before" in other.post(STEP, {"code": code}).content.decode()
    assert not is_in(other)


@pytest.mark.parametrize("steps", [-3, 3])
def test_a_code_of_another_time_is_wrong(client: Client, anna: User, steps: int) -> None:
    log_in(client)
    client.post(STEP, {"code": code_of(anna.second_factor, steps=steps)})
    assert not is_in(client)


def test_a_recovery_code_works_once(
    client: Client, anna: User, caplog: pytest.LogCaptureFixture
) -> None:
    code, *_ = second_factor.new_recovery_codes(anna)
    for browser, lets_in in ((client, True), (Client(), False)):
        log_in(browser)
        browser.post(STEP, {"code": f" {code.upper()} "})
        assert is_in(browser) == lets_in
    assert audit_lines(caplog).count(f"action=recovery-code-used subject=user:{anna.pk}") == 1


def test_codes_cannot_be_guessed_and_a_right_password_forgives_no_guess(
    client: Client, anna: User, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(5):
        log_in(client)
        client.post(STEP, {"code": "000000"})
        client.post(STEP, {"code": "000001"})
    log_in(client)
    right = {"code": code_of(anna.second_factor)}
    assert client.post(STEP, right).status_code == 429
    assert not is_in(client)
    assert audit_lines(caplog).count(f"action=second-step-failed subject=user:{anna.pk}") == 10


def test_no_name_typed_at_the_log_in_counts_as_wrong_codes(client: Client, anna: User) -> None:
    stranger = Client()
    for spelling in ("second step of {}", " Second STEP of {}"):
        for _ in range(10):
            log_in(stranger, name=spelling.format(anna.pk))
    log_in(client)
    code, *_ = second_factor.new_recovery_codes(anna)
    client.post(STEP, {"code": code})
    assert is_in(client)


def test_codes_are_limited_whatever_addresses_they_come_from(client: Client, anna: User) -> None:
    log_in(client)
    for number in range(10):
        client.post(STEP, {"code": "000000"}, REMOTE_ADDR=f"192.0.2.{number}")
    right = {"code": code_of(anna.second_factor)}
    assert client.post(STEP, right, REMOTE_ADDR="192.0.2.99").status_code == 429


def test_after_a_new_secret_key_a_code_is_wrong_and_a_recovery_code_works(
    client: Client, anna: User, settings: Settings
) -> None:
    code, *_ = second_factor.new_recovery_codes(anna)
    settings.SECRET_KEY = "another key " * 5
    log_in(client)
    answer = client.post(STEP, {"code": "000000"})
    assert answer.status_code == 200
    assert "administrator" in answer.content.decode()
    client.post(STEP, {"code": code})
    assert is_in(client)
    assert client.get(PAGE).status_code == 200


def test_after_a_new_secret_key_a_begun_factor_can_be_begun_again(
    client: Client, settings: Settings
) -> None:
    client.force_login(make_user("pia"))
    client.post(PAGE, {"action": "begin"})
    settings.SECRET_KEY = "another key " * 5
    client.force_login(User.objects.get())
    assert client.get(PAGE).status_code == 200
    assert client.get(f"{PAGE}picture.svg").status_code == 404
    assert client.post(PAGE, {"action": "confirm", "code": "000000"}).status_code == 200
    page = client.post(PAGE, {"action": "begin"}, follow=True).content.decode()
    assert str(second_factor.secret_of(SecondFactor.objects.get())) in page


def test_the_step_waits_minutes_and_ends_with_the_password(client: Client, anna: User) -> None:
    assert client.get(STEP)["Location"] == "/log-in/"
    log_in(client)
    assert client.get(STEP).status_code == 200
    anna.set_password("another long password")
    anna.save()
    assert client.get(STEP)["Location"] == "/log-in/"
    session = client.session
    session[second_factor.PENDING] |= {"hash": anna.get_session_auth_hash(), "until": 0}
    session.save()
    assert client.post(STEP, {"code": code_of(anna.second_factor)})["Location"] == "/log-in/"


def test_removing_it_takes_a_code_and_ends_other_sessions(client: Client, anna: User) -> None:
    other = Client()
    other.force_login(anna)
    client.force_login(anna)
    client.post(PAGE, {"action": "remove", "code": "000000"})
    assert second_factor.factor_of(anna)
    client.post(PAGE, {"action": "remove", "code": code_of(anna.second_factor)})
    assert second_factor.factor_of(anna) is None
    assert (is_in(client), is_in(other)) == (True, False)
    assert log_in(Client())["Location"] == "/"


def test_new_recovery_codes_end_the_old(client: Client, anna: User) -> None:
    old, *_ = second_factor.new_recovery_codes(anna)
    client.force_login(anna)
    page = client.post(PAGE, {"action": "renew", "code": code_of(anna.second_factor)})
    assert "recovery codes" in page.content.decode()
    assert not second_factor.is_right(anna.second_factor, old)


def test_an_administrator_takes_a_lost_one_off(
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
def test_who_has_to_have_one_opens_nothing_without(
    client: Client, settings: Any, required: str, role: str, is_led: bool
) -> None:
    settings.RARR_SECOND_FACTOR = required
    person = make_user("pia", role=role)
    log_in(client, "pia")
    assert is_in(client) != is_led
    assert client.get(PAGE).status_code == 200
    if not is_led:
        return
    assert client.get("/datasets/")["Location"] == PAGE
    assert client.get("/api/datasets/").status_code == 302
    client.post(PAGE, {"action": "begin"})
    code = code_of(SecondFactor.objects.get(user=person))
    client.post(PAGE, {"action": "confirm", "code": code})
    assert is_in(client)


def test_the_log_says_who_turned_it_on(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    person = make_user("pia")
    client.force_login(person)
    client.post(PAGE, {"action": "begin"})
    client.post(PAGE, {"action": "confirm", "code": code_of(person.second_factor)})
    event = f"action=second-factor-on actor={person.pk} subject=user:{person.pk}"
    assert event in audit_lines(caplog)
