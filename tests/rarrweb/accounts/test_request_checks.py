"""Malformed requests get a 400."""

from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client, RequestFactory

from annotation.judging.claims import claim_next
from annotation.models import Assignment
from rarrweb.accounts.models import User
from rarrweb.accounts.request_checks import utf8_only
from rarrweb.web.json_parser import DEEPEST_JSON
from tests.support.addresses import ADDRESSES
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

NUL = "\x00"


@pytest.fixture(params=["anonymous", "administrator"])
def anybody(request: pytest.FixtureRequest, db: None) -> Client:
    client = Client(raise_request_exception=False)
    if request.param == "administrator":
        client.force_login(make_user("somebody", role=User.Role.ADMINISTRATOR))
    return client


@pytest.mark.parametrize("method", ["get", "post"])
def test_nul_in_an_address_is_refused_on_every_page(anybody: Client, method: str) -> None:
    answers = {}
    for name, address in ADDRESSES:
        arguments = [each for each in ("some-text", "some-slug", "1") if each in address]
        for path in [
            f"/{address}%00",
            *(f"/{address.replace(each, each + '%00')}" for each in arguments),
        ]:
            answers[name, path] = getattr(anybody, method)(path).status_code
    assert {key: code for key, code in answers.items() if code != 400} == {}


@pytest.mark.parametrize("method", ["get", "post"])
def test_nul_in_a_parameter_is_refused_on_every_page(anybody: Client, method: str) -> None:
    answers = {
        name: getattr(anybody, method)(f"/{address}?x=1&q=a%00b&page=2").status_code
        for name, address in ADDRESSES
    }
    assert {key: code for key, code in answers.items() if code != 400} == {}


def test_nul_in_the_name_of_a_parameter_is_refused(client: Client) -> None:
    assert client.get("/log-in/?a%00=1").status_code == 400


@pytest.mark.parametrize(
    "sent",
    [
        {"data": {"name": "a", "text": f"a{NUL}b"}},
        {"data": "text=a%00b", "content_type": "application/x-www-form-urlencoded"},
    ],
)
def test_nul_in_a_field_is_refused_on_every_page_that_takes_a_form(
    anybody: Client, sent: dict[str, Any]
) -> None:
    answers = {name: anybody.post(f"/{address}", **sent).status_code for name, address in ADDRESSES}
    wrong = {name: code for name, code in answers.items() if code not in {400, 404}}
    assert wrong == {}


@pytest.mark.parametrize(
    "headers",
    [
        {"HX-Current-URL": "http://["},
        {"HX-Current-URL": "http%3A//[", "HX-Current-URL-URI-AutoEncoded": "true"},
        {"HX-Current-URL": "http://a]/"},
        {"HX-Target": "a%00b", "HX-Target-URI-AutoEncoded": "true"},
        {"Referer": f"http://a/{NUL}"},
        {"Cookie": "rarrweb_session=" + r'"a\000b"'},
    ],
)
def test_a_header_that_cannot_be_read_is_refused(anybody: Client, headers: dict[str, str]) -> None:
    sent = {"HX-Request": "true", **headers}
    answers = {
        name: anybody.get(f"/{address}?page=1", headers=sent).status_code
        for name, address in ADDRESSES
    }
    assert {name: code for name, code in answers.items() if code != 400} == {}


@pytest.mark.parametrize(
    "headers",
    [
        {"HX-Request": "true", "HX-Current-URL": "https://a.example/tasks/?x=%5B#y"},
        {"Cookie": "a=b; c"},
    ],
)
def test_and_a_usual_one_is_not(client: Client, headers: dict[str, str]) -> None:
    assert client.get("/log-in/", headers=headers).status_code == 200


def test_the_refusal_has_the_content_security_policy(client: Client) -> None:
    answer = client.get("/log-in/?a=%00")
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "Bad request" in answer.content.decode()


CONTENT_TYPES = [
    ("", 410),
    ("application/json; charset=UTF8", 410),
    ('text/plain; charset="utf-8"', 410),
    ("text/plain; charset=hex", 400),
    ("text/plain; charset=utf-16", 400),
    ("text/plain; charset=no-such-thing", 400),
    ("text/plain; charset*=utf-8''%00", 400),
    ("text/plain; x*=no-such-thing''a", 400),
]


@pytest.mark.parametrize(("content_type", "status"), CONTENT_TYPES)
def test_only_utf8_is_read(content_type: str, status: int) -> None:
    environ = RequestFactory().get("/new-password/x/y/").environ | {"CONTENT_TYPE": content_type}
    message: list[str] = []

    def start_response(line: str, headers: list[tuple[str, str]], *rest: object) -> None:
        message.append(line)
        assert dict(headers)["X-Content-Type-Options"] == "nosniff"

    list(utf8_only(WSGIHandler())(environ, start_response))
    assert [line.split()[0] for line in message] == [str(status)]


# --- Deep JSON -------------------------------------------------------------------------------


@pytest.fixture
def task(annotator: User) -> Assignment:
    make_campaign(raters=(annotator,))
    claimed = claim_next(annotator)
    assert isinstance(claimed, Assignment)
    return claimed


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


DEEP = [
    "[" * 100_000,
    '{"a":' * 100_000,
    deep(100_000),
    deep(DEEPEST_JSON + 1),
    f'{{"text": {deep(900)}, "sequence": {deep(900)}, "id": 1}}',
    '{"a":' * 30 + "1" + "}" * 30,
    *(f'[{{"criterion": "supported", "target": {deep(n)}}}]' for n in range(700, 1000, 20)),
]


@pytest.mark.parametrize("what", ["judgments", "visit"])
def test_deep_json_is_refused(annotator: User, task: Assignment, what: str) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(annotator)
    for body in DEEP:
        answer = client.put(f"/api/tasks/{task.pk}/{what}/", body, content_type="application/json")
        assert answer.status_code == 400, body[:60]
        assert answer.json()["errors"][0]["detail"], body[:60]
