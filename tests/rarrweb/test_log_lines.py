"""Lines of the log: as JSON, with ids that join them, and without secrets."""

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.test import Client

from pipeline.jobs import queue
from rarrweb.accounts.models import User
from rarrweb.accounts.secret_links import WithoutTokens
from rarrweb.celery import app
from rarrweb.log_lines import JsonLines, TextLines, WithIds, current
from tests.support.installation import ROOT

SECRET = 'pass"word\\of:the@database'


@pytest.fixture
def log() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines(secrets=[SECRET, ""]))
    handler.addFilter(WithIds())
    logger = logging.getLogger("rarrweb.requests")
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    yield logger, stream
    logger.removeHandler(handler)
    logger.setLevel(level)


def test_a_request_is_one_object_with_its_id_and_its_view(
    client: Client, db: None, log: tuple[logging.Logger, io.StringIO]
) -> None:
    response = client.get("/invitations/k3yK3y/", headers={"X-Request-ID": "proxy-0000-1111"})
    (line,) = log[1].getvalue().splitlines()
    told = json.loads(line)
    assert response["X-Request-ID"] == told["request_id"] == "proxy-0000-1111"
    assert (told["view"], told["method"], told["status"]) == (
        "accounts:accept-invitation", "GET", response.status_code
    )  # fmt: skip
    assert (told["level"], told["logger"]) == ("INFO", "rarrweb.requests")
    assert told["ms"] > 0
    assert "k3yK3y" not in line


@pytest.mark.parametrize("given", ["", "short", "a" * 65, "a b c d e f", "línea-larga", '"},{"'])
def test_an_id_that_is_none_is_not_taken_over(client: Client, db: None, given: str) -> None:
    answered = client.get("/healthz", headers={"X-Request-ID": given.encode().decode("latin-1")})
    assert answered["X-Request-ID"] != given
    assert len(answered["X-Request-ID"]) == 32


def test_a_refusal_says_of_which_request_and_of_whom(client: Client, annotator: User) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(TextLines(secrets=[]))
    handler.addFilter(WithIds())
    handler.addFilter(WithoutTokens())
    refusals = logging.getLogger("django.request")
    refusals.addHandler(handler)
    client.force_login(annotator)
    client.get("/people/", headers={"X-Request-ID": "proxy-0000-1111"})
    refusals.removeHandler(handler)
    (line,) = stream.getvalue().splitlines()
    told = f"[request proxy-0000-1111] [person {annotator.pk}] Not Found: accounts:people"
    assert line.endswith(f"WARNING django.request: {told}")


def test_no_text_begins_a_record_of_its_own() -> None:
    forged = "2026-11-24 10:00:00,000 WARNING rarrweb: forged"
    try:
        raise ValueError(f"read\n{forged}")
    except ValueError:
        record = logging.LogRecord("x", 40, "", 0, "said\r%s", (forged,), sys.exc_info())
    WithIds().filter(record)
    first, *others = TextLines(secrets=[]).format(record).splitlines()
    assert first.endswith("said")
    assert f"    {forged}" in others
    assert all(line.startswith("    ") for line in others)


def test_no_id_is_left_behind(client: Client, db: None) -> None:
    client.get("/healthz")
    assert dict(current.get()) == {}


def test_what_a_request_starts_carries_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []
    monkeypatch.setattr(app, "send_task", lambda task, **options: sent.append(options["headers"]))
    token = current.set({"request_id": "r1", "task": "no header"})
    queue.send(queue.REVISE_TRIAL, [1])
    current.reset(token)
    assert sent == [{"request_id": "r1"}]


@pytest.mark.parametrize("lines", [JsonLines, TextLines])
def test_no_secret_of_the_installation_is_written(lines: type[JsonLines | TextLines]) -> None:
    formatter = lines(secrets=[SECRET, "abc"])
    try:
        raise ConnectionError(f"could not connect with {SECRET}")
    except ConnectionError:
        record = logging.LogRecord("x", 40, "", 0, "at %s abc", (SECRET,), sys.exc_info())
    WithIds().filter(record)
    text = formatter.format(record)
    assert "could not connect with …" in text
    assert "abc" in text, "what is as short as a word stays"
    assert SECRET not in text
    assert json.dumps(SECRET)[1:-1] not in text


@pytest.mark.parametrize(("chosen", "is_json"), [("json", True), ("text", False)])
def test_a_process_writes_as_the_setting_says(chosen: str, is_json: bool) -> None:
    """The settings' own secrets among them."""
    code = (
        "import django, logging; django.setup(); from django.conf import settings; "
        "said = 'hunter22 s3cret/word pr0vider m0delword s3archword'; "
        "logging.getLogger('rarrweb').info('key %s, db %s', settings.SECRET_KEY, said)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ
        | {
            "DJANGO_SETTINGS_MODULE": "rarrweb.settings",
            "RARR_LOG": chosen,
            "RARR_SECRET_KEY": "k" * 40,
            "CELERY_BROKER_URL": "redis://:hunter22@127.0.0.1:1/0",
            "RARR_OIDC_CLIENT_SECRET": "pr0vider",
            "RARR_LLM_BASE_URL": "http://rarr:m0delword@127.0.0.1:1/v1",
            "RARR_SEARCH": "corpus+searxng:http://rarr:s3archword@127.0.0.1:1",
            "RARR_OPENSEARCH": "https://rarr:s3cret%2Fword@127.0.0.1:1",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = done.stderr.splitlines()
    assert line.endswith("key …, db … … … … …" if not is_json else "}")
    if is_json:
        assert json.loads(line)["message"] == "key …, db … … … … …"
