"""Limits on failed log-ins by name and address, and by address."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from pytest_django import Settings

from rarrweb.accounts.http import client_address
from rarrweb.accounts.models import User
from rarrweb.env import env_url

pytestmark = pytest.mark.django_db
LIMIT = 10
ADDRESS_LIMIT = 50
RIGHT = {"login": "ruth", "password": "a long test password"}
WRONG = {"login": "ruth", "password": "wrong"}


def attempt(client: Client, form: dict[str, str], address: str = "192.0.2.1") -> Any:
    return client.post("/log-in/", form, REMOTE_ADDR=address)


def test_after_the_limit_even_the_right_password_waits(client: Client, researcher: User) -> None:
    answers = [attempt(client, WRONG).status_code for _ in range(LIMIT)]
    assert answers == [200] * (LIMIT - 1) + [429]
    response = attempt(client, RIGHT)
    assert response.status_code == 429
    assert "Wait 15 minutes" in response.content.decode()
    assert "_auth_user_id" not in client.session


def test_the_right_password_forgets_the_failures(client: Client, researcher: User) -> None:
    for _ in range(2):
        for _ in range(LIMIT - 1):
            attempt(client, WRONG)
        assert attempt(client, RIGHT).status_code == 302
        client.post("/log-out/")


def test_a_stranger_at_another_address_locks_nobody_out(client: Client, researcher: User) -> None:
    for number in range(3):
        for _ in range(LIMIT + 1):
            attempt(client, WRONG, f"192.0.2.{66 + number}")
    assert attempt(client, RIGHT, "192.0.2.66").status_code == 429
    assert attempt(client, RIGHT).status_code == 302


def test_spellings_of_a_name_that_log_in_are_counted_together(
    client: Client, researcher: User
) -> None:
    for name in ("ruth", " ruth ", "ｒｕｔｈ", "ruｔh") * 3:
        answer = attempt(client, {**WRONG, "login": name})
    assert answer.status_code == 429
    assert attempt(client, {**RIGHT, "login": "ｒｕｔｈ"}).status_code == 429


def test_an_address_that_fails_with_many_names_waits(client: Client, researcher: User) -> None:
    for _ in range(ADDRESS_LIMIT + 1):  # those that succeed do not count
        assert attempt(Client(), RIGHT).status_code == 302
    for number in range(ADDRESS_LIMIT):
        attempt(client, {"login": f"name-{number}", "password": "wrong"})
    answer = attempt(client, RIGHT).content.decode()
    assert "Too many attempts have failed. Wait 15 minutes" in answer
    assert attempt(client, RIGHT, "192.0.2.2").status_code == 302


def test_trying_during_the_wait_does_not_make_it_longer(client: Client, researcher: User) -> None:
    def ends() -> list[object]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT expires FROM cache WHERE cache_key LIKE '%axes%'")
            return list(cursor.fetchall())

    for _ in range(LIMIT):
        attempt(client, WRONG)
    before = ends()
    attempt(client, WRONG)
    assert before
    assert ends() == before


def test_no_name_is_stored_or_logged_and_no_address_logged(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(LIMIT + 1):
        attempt(client, {"login": "hunter2", "password": "x"}, "192.0.2.77")
    with connection.cursor() as cursor:
        cursor.execute("SELECT cache_key, value FROM cache")
        stored = str(cursor.fetchall())
    assert "axes" in stored
    assert "log-in-failed" in caplog.text
    assert "hunter2" not in stored + caplog.text
    assert "192.0.2.77" not in caplog.text


def test_guessing_the_old_password_on_the_account_page_counts_too(
    as_researcher: Client, researcher: User
) -> None:
    form = {"old_password": "wrong", "new_password1": "x", "new_password2": "x"}
    answers = [as_researcher.post("/account/", form).status_code for _ in range(LIMIT + 1)]
    assert answers == [200] * (LIMIT - 1) + [429] * 2


FORWARDED = {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "203.0.113.9, 198.51.100.4"}


@pytest.mark.parametrize(
    ("public_url", "meta", "address"),
    [
        ("http://localhost:8000", {"REMOTE_ADDR": "192.0.2.1"}, "192.0.2.1"),
        ("http://localhost:8000", FORWARDED, "127.0.0.1"),
        ("https://rarr.example.org", FORWARDED, "198.51.100.4"),
        ("https://rarr.example.org", {"REMOTE_ADDR": "192.0.2.1"}, "192.0.2.1"),
        ("https://rarr.example.org", {**FORWARDED, "HTTP_X_FORWARDED_FOR": "rubbish"}, ""),
        ("http://localhost:8000", {"REMOTE_ADDR": ""}, ""),
        ("http://localhost:8000", {"REMOTE_ADDR": "::ffff:192.0.2.1"}, "192.0.2.1"),
        ("http://localhost:8000", {"REMOTE_ADDR": "2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::/64"),
    ],
)
def test_the_address_is_the_one_that_our_proxy_saw(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    public_url: str,
    meta: dict[str, str],
    address: str,
) -> None:
    monkeypatch.setenv("PUBLIC_URL", public_url)
    settings.PUBLIC_URL = env_url("PUBLIC_URL", "", schemes={"http", "https"})
    assert client_address(RequestFactory().get("/", **meta)) == address
