"""The tokens of links are in no log line, however an address is written."""

import logging
from collections.abc import Iterator

import pytest
from django.test import Client

from rarrweb.accounts.models import User, new_token
from rarrweb.accounts.passwords import new_password_link
from rarrweb.accounts.secret_links import WithoutTokens

pytestmark = pytest.mark.django_db


def spellings(path: str) -> Iterator[str]:
    """The path as people, mail programs and attackers write it."""
    word = path.split("/")[1]
    yield path
    yield path.title().replace(path.title().split("/")[-2], path.split("/")[-2])
    yield path.replace(word, word.upper())
    yield path.replace(word, f"%{ord(word[0]):02x}{word[1:]}")
    yield path.replace("/", "/%20", 2)
    yield path.replace(f"{word}/", f"{word}%20/")
    yield path.replace(f"{word}/", f"{word}/%22")
    yield path.replace(f"{word}/", f"{word}/%0a")
    yield path.replace(f"{word}/", f"{word}//")
    yield path.replace(f"{word}/", f"{word}%2f")
    yield path.replace(word, f"{word}s")
    yield f"/x{path}y"


def paths(token: str, user: User) -> list[str]:
    code, password_token = new_password_link(user)
    return [
        f"/invitations/{token}/",
        f"/campaigns/join/{token}/",
        f"/revisions/shared/{token}/",
        f"/enter/{token[:32]}/",
        f"/new-password/{code}/{password_token}/",
    ]


def test_no_spelling_of_a_path_is_logged(
    client: Client, administrator: User, caplog: pytest.LogCaptureFixture
) -> None:
    token = "aB3_-" * 8 + "xyz"
    secrets = {token, token[:32], new_password_link(administrator)[1]}
    asked = 0
    for path in paths(token, administrator):
        for spelling in spellings(path):
            asked += client.get(spelling).status_code >= 400
            assert [secret for secret in secrets if secret in caplog.text] == [], spelling
    assert asked > 30
    assert "/Invitations/…" in caplog.text


def test_nor_what_a_refused_form_says_of_its_page(caplog: pytest.LogCaptureFixture) -> None:
    token = new_token()
    for page in (f"/invitations/{token}/", f"/log-in/?next=%2Fcampaigns%2Fjoin%2F{token}%2F"):
        headers = {"Referer": f"https://elsewhere.example{page}"}
        client = Client(enforce_csrf_checks=True)
        assert client.post("/log-in/", secure=True, headers=headers).status_code == 403
    assert "Referer checking failed" in caplog.text
    assert token not in caplog.text


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("Invalid request from ip=%s: %s", ("::1", ValueError("GET /invitations/k3yK3y/ a b"))),
        ('%(h)s "%(r)s" %(s)s "%(f)s"', ({"h": "::1", "r": "GET /Enter/k3yK3y/?p=k3yK3y HTTP/1.1",
          "s": 200, "f": "https://a.example/campaigns%2fjoin%2fk3yK3y"},)),
        ("Error handling request %s", ("/log-in/?next=/new-password/MQ/k3yK3y/",)),
    ],
)  # fmt: skip
def test_nor_what_the_web_server_logs(message: str, arguments: tuple[object, ...]) -> None:
    record = logging.LogRecord("gunicorn", logging.INFO, "", 0, message, arguments, None)
    assert WithoutTokens().filter(record)
    assert "k3yK3y" not in record.getMessage()
    assert "…" in record.getMessage()


def test_the_filter_is_where_paths_are_logged() -> None:
    for name in ("django.request", "django.security.csrf", "django.server", "gunicorn.error",
                 "gunicorn.access"):  # fmt: skip
        assert any(isinstance(each, WithoutTokens) for each in logging.getLogger(name).filters)


def test_other_paths_are_logged_as_they_are(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    path = "/campaigns/what-a-long-name-of-a-campaign-this-is-2026/nothing/"
    client.get(path)
    assert path in caplog.text
