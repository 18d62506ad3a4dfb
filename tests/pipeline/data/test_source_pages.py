"""Sources that are only URLs are read at import if web access is on."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from pytest_django import Settings

from pipeline.backends.searches import WebClients
from pipeline.backends.web.guarded import GuardedClient
from pipeline.backends.web.robots import Robots
from pipeline.data import source_pages, uploads
from pipeline.models import Dataset, Passage, Upload
from tests.support.commands import write_lines
from tests.support.factories import make_user
from tests.support.web_server import WebServer, html, trust_pages_test

pytestmark = pytest.mark.django_db

HALL = "https://hall.pages.test/"
GONE = "https://gone.pages.test/"
LINE = {"id": "1", "text": "It opened.", "sources": [HALL, {"url": GONE}, "Written here."]}


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    trust_pages_test(monkeypatch)
    with WebServer({HALL: html("<p>Marlow Hall opened in 1904.</p>")}) as server:
        client = GuardedClient(resolve=server.resolve, dial=server.dial)
        robots = Robots(client=client, pause_seconds=0)
        web = WebClients(client=client, robots=robots, engines=None)
        monkeypatch.setattr(source_pages, "load_web", lambda: web)
        yield server


def load(folder: Path, *lines: dict[str, Any]) -> Passage:
    file = write_lines(folder / "in.jsonl", list(lines))
    call_command("load_passages", str(file), "--dataset", "Halls")
    return Passage.objects.get()


def test_with_web_access_pages_become_texts_and_the_same_file_adds_nothing(
    web: WebServer, tmp_path: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.RARR_SEARCH = "searxng:http://localhost:8888"
    passage = load(tmp_path, LINE)
    first, last = passage.source.with_text
    assert (first.number, first.url) == (1, HALL)
    assert "Marlow Hall opened in 1904." in first.text
    assert (last.number, last.text) == (3, "Written here.")
    assert passage.source.extra["sources"][1] == {"url": GONE}
    requests = list(web.received)
    assert load(tmp_path, LINE).source == passage.source
    assert "0 new, 1 the same" in capsys.readouterr().out
    assert web.received == requests


def test_without_web_access_no_request_is_sent(
    web: WebServer, tmp_path: Path, settings: Settings
) -> None:
    settings.RARR_SEARCH = "corpus"
    passage = load(tmp_path, LINE)
    assert passage.source.extra["sources"] == LINE["sources"]
    assert [each.text for each in passage.source.with_text] == ["Written here."]
    assert web.received == []


@pytest.mark.parametrize(
    ("search", "state"), [("corpus", "checked"), ("searxng:http://localhost:8888", "checking")]
)
def test_no_request_waits_for_pages(
    web: WebServer, settings: Settings, tmp_path: Path, search: str, state: str
) -> None:
    settings.RARR_SEARCH = search
    settings.VAR_DIR = tmp_path
    upload = uploads.receive_upload(
        kind=Upload.Kind.PASSAGES,
        files=[SimpleUploadedFile("in.jsonl", json.dumps(LINE).encode())],
        created_by=make_user(role="researcher"),
        name="Halls",
    )
    assert (upload.state, web.received) == (state, [])
    assert not Dataset.objects.exists()
