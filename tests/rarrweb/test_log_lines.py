"""Log lines as JSON, with ids, without secrets."""

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django.test import Client

from pipeline.jobs import queue
from rarrweb.accounts.models import User
from rarrweb.celery import app
from rarrweb.log_lines import JsonLines, RouteOnly, TextLines, WithIds, current
from tests.support.installation import ROOT


@pytest.fixture(params=[JsonLines, TextLines])
def stderr(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    handler = next(each for each in logging.getLogger().handlers if each.name == "stderr")
    assert isinstance(handler, logging.StreamHandler)
    formatter, stream = handler.formatter, io.StringIO()
    handler.setFormatter(request.param())
    before = handler.setStream(stream)
    yield stream
    handler.setFormatter(formatter)
    handler.setStream(before)


@pytest.mark.parametrize("stderr", [JsonLines], indirect=True)
def test_a_request_is_one_object_with_its_id_and_its_view(
    client: Client, db: None, stderr: io.StringIO, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "rarrweb.requests")
    response = client.get("/invitations/k3yK3y/", headers={"X-Request-ID": "proxy-0000-1111"})
    (line,) = (each for each in stderr.getvalue().splitlines() if "rarrweb.requests" in each)
    reported = json.loads(line)
    assert response["X-Request-ID"] == reported["request_id"] == "proxy-0000-1111"
    expected = {"level": "INFO", "logger": "rarrweb.requests", "method": "GET"}
    expected |= {"view": "accounts:accept-invitation", "status": response.status_code}
    assert reported.items() >= expected.items()
    assert reported["ms"] > 0
    assert "k3yK3y" not in line


@pytest.mark.parametrize("given", ["", "short", "a" * 65, "a b c d e f", "línea-larga", '"},{"'])
def test_an_id_that_is_none_is_not_taken_over(client: Client, db: None, given: str) -> None:
    answered = client.get("/healthz", headers={"X-Request-ID": given.encode().decode("latin-1")})
    assert answered["X-Request-ID"] != given
    assert len(answered["X-Request-ID"]) == 32
    assert dict(current.get()) == {}, "none is left behind"


@pytest.mark.parametrize("stderr", [TextLines], indirect=True)
def test_a_refusal_reports_of_which_request_and_of_whom(
    stderr: io.StringIO, client: Client, annotator: User
) -> None:
    client.force_login(annotator)
    client.get("/people/", headers={"X-Request-ID": "proxy-0000-1111"})
    (line,) = (each for each in stderr.getvalue().splitlines() if "django.request" in each)
    reported = f"[request proxy-0000-1111] [person {annotator.pk}] Not Found: accounts:people"
    assert line.endswith(f"WARNING django.request: {reported}")


def test_no_text_begins_a_separate_record() -> None:
    forged = "2026-11-24 10:00:00,000 WARNING rarrweb: forged"
    try:
        raise ValueError(f"read\n{forged}")
    except ValueError:
        record = logging.LogRecord("x", 40, "", 0, "said\r%s", (forged,), sys.exc_info())
    WithIds().filter(record)
    first, *others = TextLines().format(record).splitlines()
    assert first.endswith("said")
    assert f"    {forged}" in others
    assert all(line.startswith("    ") for line in others)


def test_what_a_request_starts_carries_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []
    monkeypatch.setattr(app, "send_task", lambda task, **options: sent.append(options["headers"]))
    token = current.set({"request_id": "r1", "task": "no header"})
    queue.send(queue.REVISE_TRIAL, [1])
    current.reset(token)
    assert sent == [{"request_id": "r1"}]


@pytest.mark.parametrize(("chosen", "is_json"), [("json", True), ("text", False)])
def test_a_process_writes_the_format_of_the_setting(chosen: str, is_json: bool) -> None:
    code = "import django, logging; django.setup(); logging.getLogger('rarrweb').info('a line')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "rarrweb.settings", "RARR_LOG": chosen},
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = done.stderr.splitlines()
    assert json.loads(line)["message"] == "a line" if is_json else line.endswith(": a line")


@pytest.mark.parametrize(
    ("path", "view"),
    [
        ("/invitations/{}/", "accounts:accept-invitation"),
        ("/new-password/MQ/{}/", "accounts:new-password"),
        ("/campaigns/join/{}/", "annotation:join"),
        ("/enter/{}/", "annotation:enter"),
        ("/revisions/shared/{}/", "shared-revision"),
        ("/search/", "search"),
    ],
)
@pytest.mark.parametrize("fault", ["referer", "method", "too many fields"])
def test_a_refusal_is_logged_by_its_view_without_the_path(
    stderr: io.StringIO, researcher: User, path: str, view: str, fault: str
) -> None:
    secret = "k3yK3y"
    address = f"{path.format(secret)}?{urlencode({'PROLIFIC_PID': secret, 'q': secret})}"
    client = Client(enforce_csrf_checks=fault != "method")
    client.force_login(researcher)
    if fault == "too many fields":
        client.cookies["csrftoken"] = "c" * 32
        answer = client.post(address, "a=&" * 2000, "application/x-www-form-urlencoded")
    elif fault == "referer":
        headers = {"Referer": f"https://elsewhere.example/campaigns/join/{secret}/"}
        answer = client.post(address, secure=True, headers=headers)
    else:
        answer = client.patch(address)
    assert answer.status_code in {400, 403, 404, 405}
    assert secret not in stderr.getvalue()
    assert f": {view}" in stderr.getvalue() or fault == "too many fields"


def test_an_unknown_path_is_logged_without_it(stderr: io.StringIO, client: Client) -> None:
    assert client.get("/Invitations/k3yK3y/").status_code == 404
    assert "Not Found: no view" in stderr.getvalue()
    assert "k3yK3y" not in stderr.getvalue()


def test_a_view_that_fails_is_logged_by_its_name_with_the_traceback(
    stderr: io.StringIO, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise RuntimeError("cannot read the link")

    monkeypatch.setattr("rarrweb.accounts.views.account.person_of", fail)
    client = Client(raise_request_exception=False)
    assert client.get("/new-password/MQ/k3yK3y/?q=k3yK3y").status_code == 500
    assert "Internal Server Error: accounts:new-password" in stderr.getvalue()
    assert "RuntimeError: cannot read the link" in stderr.getvalue()
    assert "k3yK3y" not in stderr.getvalue()


@pytest.mark.parametrize("message", ["Invalid request from ip=%s: %s", "Error handling request %s"])
def test_gunicorn_logs_no_path(message: str) -> None:
    arguments = ("GET /invitations/k3yK3y/ a b",) * message.count("%s")
    record = logging.LogRecord("gunicorn.error", 30, "", 0, message, arguments, None)
    assert RouteOnly().filter(record)
    assert "k3yK3y" not in record.getMessage()
    assert "request" in record.getMessage()
