"""The tokens of links are in no log line, however an address is written."""

import io
import json
import logging
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django.test import Client

from rarrweb.accounts.models import User, new_token
from rarrweb.accounts.passwords import new_password_link
from rarrweb.accounts.secret_links import WithoutTokens
from rarrweb.log_lines import JsonLines, TextLines

pytestmark = pytest.mark.django_db


@pytest.fixture(params=[JsonLines, TextLines])
def log(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    """What the handler of the settings writes, in either format."""
    handler = next(each for each in logging.getLogger().handlers if each.name == "stderr")
    assert isinstance(handler, logging.StreamHandler)
    formatter, stream = handler.formatter, io.StringIO()
    handler.setFormatter(request.param(secrets=[]))
    before = handler.setStream(stream)
    yield stream
    handler.setFormatter(formatter)
    handler.setStream(before)


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
    client: Client, administrator: User, log: io.StringIO
) -> None:
    token = "aB3_-" * 8 + "xyz"
    secrets = {token, token[:32], new_password_link(administrator)[1]}
    asked = 0
    for path in paths(token, administrator):
        for spelling in spellings(path):
            asked += client.get(spelling).status_code >= 400
            assert [secret for secret in secrets if secret in log.getvalue()] == [], spelling
    assert asked > 30
    assert "Not Found: no view" in log.getvalue()


@pytest.mark.parametrize(
    ("path", "view"),
    [
        ("/invitations/{}/", "accounts:accept-invitation"),
        ("/new-password/MQ/{}/", "accounts:new-password"),
        ("/campaigns/join/{}/", "annotation:join"),
        ("/enter/{}/", "annotation:enter"),
        ("/revisions/shared/{}/", "annotation:shared-revision"),
        ("/try/shared/{}/", "pipeline:shared-trial"),
        ("/log-in/provider/any/login/callback/", "openid_connect_callback"),
        ("/search/", "search"),
    ],
)
@pytest.mark.parametrize("wrong", ["no token of the form", "method", "too many fields"])
def test_a_refused_link_is_logged_by_its_view(
    log: io.StringIO, researcher: User, path: str, view: str, wrong: str
) -> None:
    secret = "k3yK3y"
    query = {"PROLIFIC_PID": secret, "code": secret, "state": secret, "q": secret}
    address = f"{path.format(secret)}?{urlencode(query)}"
    client = Client(enforce_csrf_checks=wrong != "method")
    client.force_login(researcher)
    if wrong == "too many fields":
        client.cookies["csrftoken"] = "c" * 32
        answer = client.post(address, "a=&" * 2000, "application/x-www-form-urlencoded")
    else:
        answer = client.patch(address) if wrong == "method" else client.post(address)
    assert answer.status_code in {400, 403, 404, 405}
    assert secret not in log.getvalue()
    refusals = [line for line in log.getvalue().splitlines() if "django." in line]
    assert refusals
    for line in refusals:
        assert view in line or "TooManyFieldsSent" in line
        if line.startswith("{"):
            assert "request" not in json.loads(line)


def test_a_view_that_fails_is_logged_by_its_name(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise RuntimeError("cannot read the link")

    monkeypatch.setattr("rarrweb.accounts.views.account.person_of", fail)
    client = Client(raise_request_exception=False)
    assert client.get("/new-password/MQ/k3yK3y/?q=k3yK3y").status_code == 500
    assert "Internal Server Error: accounts:new-password" in log.getvalue()
    assert "RuntimeError: cannot read the link" in log.getvalue()
    assert "k3yK3y" not in log.getvalue()


def test_nor_what_a_refused_form_says_of_its_page(log: io.StringIO) -> None:
    token = new_token()
    for page in (f"/invitations/{token}/", f"/log-in/?next=%2Fcampaigns%2Fjoin%2F{token}%2F"):
        headers = {"Referer": f"https://elsewhere.example{page}"}
        client = Client(enforce_csrf_checks=True)
        assert client.post("/log-in/", secure=True, headers=headers).status_code == 403
    assert "Referer checking failed" in log.getvalue()
    assert "account_login" in log.getvalue()
    assert token not in log.getvalue()


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
