"""The log-in page."""

import pytest
from django.contrib.auth import get_user
from django.test import Client

from rarrweb.accounts.models import User
from tests.support.factories import make_user

RIGHT = {"login": "ruth", "password": "a long test password"}


def is_in(client: Client) -> bool:
    return bool(get_user(client).is_authenticated)  # type: ignore[arg-type]


def test_name_and_password_log_in(client: Client, researcher: User) -> None:
    response = client.post("/log-in/", RIGHT)
    assert response.status_code == 302
    assert response["Location"] == "/"
    assert is_in(client)


def test_the_page_that_was_requested_follows(client: Client, researcher: User) -> None:
    assert client.get("/account/")["Location"] == "/log-in/?next=/account/"
    page = client.get("/log-in/?next=/account/")
    assert 'name="next" value="/account/"' in page.content.decode()
    assert client.post("/log-in/", {**RIGHT, "next": "/account/"})["Location"] == "/account/"


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil"]
)
def test_nobody_is_sent_to_another_site(client: Client, researcher: User, elsewhere: str) -> None:
    assert client.post("/log-in/", {**RIGHT, "next": elsewhere})["Location"] == "/"


@pytest.mark.parametrize("name", ["foo", "?x", "#x", "home", "accounts:account", ".", "é"])
def test_a_next_page_that_is_no_path_is_ignored(
    client: Client, researcher: User, name: str
) -> None:
    assert client.get("/log-in/", {"next": name}).status_code == 200
    assert client.post("/log-in/", {**RIGHT, "next": name})["Location"] == "/"
    assert client.get("/log-in/", {"next": name})["Location"] == "/"
    assert client.post("/account/theme/", {"next": name, "theme": "dark"})["Location"] == "/"


def test_the_answer_is_the_same_for_a_wrong_password_an_unknown_name_and_a_shut_account(
    client: Client, researcher: User
) -> None:
    shut = make_user("shut")
    User.objects.filter(pk=shut.pk).update(is_active=False)
    pages = []
    for username, password in [
        ("ruth", "wrong"),
        ("nobody", "wrong"),
        ("shut", "a long test password"),
    ]:
        response = client.post("/log-in/", {"login": username, "password": password})
        assert response.status_code == 200
        assert not is_in(client)
        text = response.content.decode()
        pages.append(text[text.index('role="alert"') : text.index("id_login")])
    assert "user name or the password is wrong" in pages[0]
    assert pages[0] == pages[1] == pages[2]


def test_a_logged_in_user_is_redirected(as_researcher: Client) -> None:
    assert as_researcher.get("/log-in/")["Location"] == "/"
    assert as_researcher.get("/log-in/?next=/account/")["Location"] == "/account/"


def test_logging_out_ends_the_session(as_researcher: Client) -> None:
    assert as_researcher.post("/log-out/")["Location"] == "/log-in/"
    assert not is_in(as_researcher)
    assert as_researcher.get("/account/").status_code == 302


def test_passwords_are_hashed_with_argon2() -> None:
    # tests/settings.py puts a fast hasher first; the product's own settings are asked here.
    from rarrweb import settings as product

    assert product.PASSWORD_HASHERS[0].endswith("Argon2PasswordHasher")


def test_createsuperuser_makes_an_administrator(db: None) -> None:
    from django.core.management import call_command

    call_command("createsuperuser", "--noinput", "--username", "root-ada")
    person = User.objects.get(username="root-ada")
    assert person.is_administrator
