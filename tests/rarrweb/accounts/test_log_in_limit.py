"""How often a log-in may fail."""

import unicodedata
from datetime import timedelta

import pytest
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings

from rarrweb.accounts import log_in_limit
from rarrweb.accounts.forms import LogInForm
from rarrweb.accounts.log_in_limit import ADDRESS_LIMIT, NAME_LIMIT, WINDOW
from rarrweb.accounts.models import LogInFailure, User
from rarrweb.accounts.names import username_key
from rarrweb.env import env_url
from rarrweb.rate_limit import TooManyAttempts
from tests.support.factories import make_user

RIGHT = {"username": "ruth", "password": "a long test password"}
WRONG = {"username": "ruth", "password": "wrong"}


def fail(times: int, *, username: str = "ruth", address: str = "192.0.2.1") -> None:
    for _ in range(times):
        log_in_limit.count_failure(username=username, address=address)


def age(by: timedelta) -> None:
    for row in LogInFailure.objects.all():
        LogInFailure.objects.filter(pk=row.pk).update(at=row.at - by)


def test_after_the_limit_even_the_right_password_waits(client: Client, researcher: User) -> None:
    for _ in range(NAME_LIMIT):
        assert client.post("/log-in/", WRONG).status_code == 200
    response = client.post("/log-in/", RIGHT)
    assert response.status_code == 429
    assert "Wait 15 minutes" in response.content.decode()
    assert 0 < int(response["Retry-After"]) <= WINDOW.total_seconds()
    assert "_auth_user_id" not in client.session


def test_the_wait_ends_by_itself(client: Client, researcher: User) -> None:
    fail(NAME_LIMIT)
    age(WINDOW + timedelta(seconds=1))
    assert client.post("/log-in/", RIGHT).status_code == 302


def test_trying_during_the_wait_does_not_make_it_longer(db: None) -> None:
    fail(NAME_LIMIT)
    age(timedelta(minutes=10))
    for _ in range(NAME_LIMIT + 1):
        with pytest.raises(TooManyAttempts) as refusal:
            fail(1)
        assert refusal.value.minutes == 5


def test_the_right_password_forgets_the_failures(client: Client, researcher: User) -> None:
    for _ in range(NAME_LIMIT - 1):
        client.post("/log-in/", WRONG)
    assert client.post("/log-in/", RIGHT).status_code == 302
    assert not LogInFailure.objects.exists()


def test_an_unknown_name_waits_like_a_known_one(client: Client, db: None) -> None:
    answers = [
        client.post("/log-in/", {"username": "nobody", "password": "x"}).status_code
        for _ in range(NAME_LIMIT + 1)
    ]
    assert answers == [200] * NAME_LIMIT + [429]


FULL_WIDTH = str.maketrans("ruth", "ｒｕｔｈ")


def test_full_width_letters_are_counted_as_the_name_that_they_log_in(
    client: Client, researcher: User
) -> None:
    answers = []
    for number in range(36):
        letters = (
            FULL_WIDTH if number % 2 else {ord("rut"[number // 2 % 3]): "ｒｕｔ"[number // 2 % 3]}
        )
        form = {**WRONG, "username": "ruth".translate(letters)}
        answers.append(client.post("/log-in/", form).status_code)
    assert answers == [200] * NAME_LIMIT + [429] * (36 - NAME_LIMIT)
    assert client.post("/log-in/", {**RIGHT, "username": "ｒｕｔｈ"}).status_code == 429


def test_every_spelling_that_the_form_takes_for_the_name_has_one_count(db: None) -> None:
    for name in ("ruth", "straße.k", "ångström", "İpek", "ﬁnn", "καλός"):
        apart = [unicodedata.normalize(form, name.title()) for form in ("NFD", "NFKD")]
        for spelling in (name, f"\u3000{name}\u2003", name.upper(), *apart):
            fail(1, username=spelling)
            cleaned = LogInForm.base_fields["username"].clean(spelling)
            assert username_key(cleaned) == username_key(spelling)
        log_in_limit.forgive(username=name, address="192.0.2.1")
        assert not LogInFailure.objects.exists(), name


@pytest.mark.parametrize("variant", ["RUTH", " ruth ", "Ruth", "ｒｕｔｈ", "ＲＵｔh\u3000"])
def test_a_name_written_differently_is_the_same_name(db: None, variant: str) -> None:
    fail(NAME_LIMIT)
    with pytest.raises(TooManyAttempts):
        fail(1, username=variant)


def test_a_stranger_at_another_address_keeps_nobody_out(client: Client, researcher: User) -> None:
    for _ in range(NAME_LIMIT + 1):
        client.post("/log-in/", WRONG, REMOTE_ADDR="192.0.2.66")
    assert client.post("/log-in/", RIGHT, REMOTE_ADDR="192.0.2.66").status_code == 429
    assert client.post("/log-in/", RIGHT, REMOTE_ADDR="192.0.2.1").status_code == 302


def test_another_name_from_the_same_address_may_still_try(db: None) -> None:
    fail(NAME_LIMIT)
    fail(1, username="anna")


def test_an_address_that_tries_many_names_waits(db: None) -> None:
    for number in range(ADDRESS_LIMIT):
        fail(1, username=f"name-{number}")
    with pytest.raises(TooManyAttempts):
        fail(1, username="one-more")
    fail(1, username="one-more", address="192.0.2.2")


def test_an_own_account_does_not_wash_an_address_clean(db: None) -> None:
    for number in range(ADDRESS_LIMIT):
        fail(1, username=f"name-{number}")
    log_in_limit.forgive(username="the attacker's own", address="192.0.2.1")
    with pytest.raises(TooManyAttempts):
        fail(1, username="one-more")


def test_without_an_address_only_the_name_counts(db: None) -> None:
    for number in range(ADDRESS_LIMIT + 1):
        fail(1, username=f"name-{number}", address="")


def test_old_failures_are_thrown_away(db: None) -> None:
    fail(3)
    age(WINDOW + timedelta(seconds=1))
    fail(1, username="somebody else")
    assert LogInFailure.objects.count() == 1


def test_no_name_and_no_address_is_kept_in_plain(db: None) -> None:
    fail(1, username="hunter2 typed into the wrong field", address="192.0.2.77")
    row = LogInFailure.objects.get()
    kept = f"{row.name_hash} {row.address_hash} {row}"
    assert "hunter2" not in kept
    assert "192.0.2.77" not in kept
    assert timezone.now() - row.at < WINDOW


def test_guessing_the_old_password_on_the_account_page_counts_too(
    as_researcher: Client, researcher: User
) -> None:
    form = {"old_password": "wrong", "new_password1": "x", "new_password2": "x"}
    answers = [as_researcher.post("/account/", form).status_code for _ in range(NAME_LIMIT + 1)]
    assert answers == [200] * NAME_LIMIT + [429]


def test_a_new_password_that_is_refused_is_no_failed_log_in(
    as_researcher: Client, researcher: User
) -> None:
    form = {"old_password": "a long test password", "new_password1": "1", "new_password2": "1"}
    assert as_researcher.post("/account/", form).status_code == 200
    assert not LogInFailure.objects.exists()


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
def test_the_address_is_the_one_that_our_own_proxy_saw(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    public_url: str,
    meta: dict[str, str],
    address: str,
) -> None:
    monkeypatch.setenv("PUBLIC_URL", public_url)
    settings.PUBLIC_URL = env_url("PUBLIC_URL", "", schemes={"http", "https"})
    assert log_in_limit.client_address(RequestFactory().get("/", **meta)) == address


@pytest.mark.django_db(transaction=True)
def test_attempts_at_the_same_moment_cannot_slip_past() -> None:
    from concurrent.futures import ThreadPoolExecutor

    from django.db import connection

    make_user("ruth")

    def attempt(_: int) -> bool:
        try:
            log_in_limit.count_failure(username="ruth", address="192.0.2.1")
        except TooManyAttempts:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(8) as pool:
        looked_at = sum(pool.map(attempt, range(NAME_LIMIT * 3)))
    assert looked_at <= NAME_LIMIT
