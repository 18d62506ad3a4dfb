"""The log-in page."""

import pytest
from django.contrib.auth import get_user
from django.test import Client

from rarrweb.accounts.models import User
from tests.support.factories import make_user

RIGHT = {"login": "ruth", "password": "a long test password"}


def is_in(client: Client) -> bool:
    return bool(get_user(client).is_authenticated)  # type: ignore[arg-type]


def test_name_and_password_lead_to_the_requested_page_until_one_logs_out(
    client: Client, researcher: User
) -> None:
    assert client.get("/account/")["Location"] == "/log-in/?next=/account/"
    page = client.get("/log-in/?next=/account/")
    assert 'name="next" value="/account/"' in page.content.decode()
    for wanted in ("/account/", "/"):
        form = RIGHT | ({"next": wanted} if wanted != "/" else {})
        response = client.post("/log-in/", form)
        assert (response.status_code, response["Location"]) == (302, wanted)
        assert is_in(client)
        assert client.get(f"/log-in/?next={wanted}")["Location"] == wanted
        assert client.get("/log-in/")["Location"] == "/"
        assert client.post("/log-out/")["Location"] == "/log-in/"
        assert not is_in(client)
        assert client.get("/account/").status_code == 302


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
    wrong = {"ruth": "wrong", "nobody": "wrong", "shut": RIGHT["password"]}
    for username, password in wrong.items():
        response = client.post("/log-in/", {"login": username, "password": password})
        assert response.status_code == 200
        assert not is_in(client)
        text = response.content.decode()
        pages.append(text[text.index('role="alert"') : text.index("id_login")])
    assert "user name or the password is wrong" in pages[0]
    assert pages[0] == pages[1] == pages[2]


def test_passwords_are_hashed_with_argon2() -> None:
    # tests/settings.py puts a fast hasher first; the product's own settings are asked here.
    from rarrweb import settings as product

    assert product.PASSWORD_HASHERS[0].endswith("Argon2PasswordHasher")


def test_createsuperuser_makes_an_administrator(db: None) -> None:
    from django.core.management import call_command

    call_command("createsuperuser", "--noinput", "--username", "root-ada")
    person = User.objects.get(username="root-ada")
    assert person.is_administrator
