"""/metrics requires the token, and counts all processes of a server."""

import re
import subprocess
import sys
import time
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from django.test import Client
from pytest_django import Settings

from pipeline.models import Corpus, Revision, Run
from pipeline.workers import registry
from rarrweb.celery import INDEXING, PASSAGES, SCORING
from rarrweb.operations.metrics import FAILING
from tests.support.factories import make_corpus, make_revision, make_run
from tests.support.installation import ROOT, embedded, free_port, wait_until_answered

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-enough-characters"


@pytest.fixture(autouse=True)
def _token(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN


def figures(client: Client, token: str = TOKEN) -> dict[str, float]:
    response = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain; version=0.0.4")
    return read(response.content.decode())


def read(text: str) -> dict[str, float]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


@pytest.mark.parametrize(
    ("token", "sent"),
    [("", "Bearer "), ("", None), (TOKEN, None), (TOKEN, "Bearer wrong"), (TOKEN, TOKEN)],
)
def test_without_its_token_there_is_no_such_page(
    client: Client, settings: Settings, token: str, sent: str | None
) -> None:
    settings.METRICS_TOKEN = token
    response = client.get("/metrics", headers={"Authorization": sent} if sent is not None else {})
    assert response.status_code == 404
    assert "rarrweb_passages" not in response.content.decode()


def test_it_tells_what_waits_and_who_works(client: Client) -> None:
    run = make_run(state=Run.State.RUNNING)
    make_revision(run)
    make_revision(run, state=Revision.State.RUNNING)
    make_revision(run, state=Revision.State.DONE)
    registry.beat("one", [PASSAGES])
    reported = figures(client)
    assert reported['rarrweb_passages{state="waiting"}'] == 1
    assert reported['rarrweb_passages{state="working"}'] == 1
    assert reported[f'rarrweb_workers{{queue="{PASSAGES}"}}'] == 1
    assert reported['rarrweb_workers{queue="rarrweb.uploads"}'] == 0
    assert reported["rarrweb_queue_reachable"] == 1


def test_it_tells_what_failed_and_how_much_room_is_left(client: Client) -> None:
    make_revision(state=Revision.State.FAILED)
    make_revision(state=Revision.State.DONE)
    make_corpus(state=Corpus.State.FAILED)
    reported = figures(client)
    failed = {name: reported[f'rarrweb_failed{{queue="{name}"}}'] for name in FAILING}
    assert failed == {PASSAGES: 1, INDEXING: 1, SCORING: 0}
    assert reported["rarrweb_free_bytes"] > 0


def test_it_tells_how_old_the_last_backup_is_where_there_is_one(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.BACKUP_DIR = tmp_path
    assert "rarrweb_backup_age_seconds" not in figures(client)
    moment = datetime.now(UTC) - timedelta(days=3)
    (tmp_path / f"{moment:rarrweb-%Y-%m-%d-%H%M.zip}").touch()
    days = figures(client)["rarrweb_backup_age_seconds"] / 86_400
    assert 3 <= days < 4


def test_figures_and_rules_of_the_document_are_there(client: Client) -> None:
    response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    reported = set(re.findall(r"^# TYPE (\w+) ", response.content.decode(), re.MULTILINE))
    text = (ROOT / "docs/operations.md").read_text()
    assert set(re.findall(r"^\| `(rarrweb_\w+)`", text, re.MULTILINE)) == {
        name for name in reported if name.startswith("rarrweb_") and not name.endswith("_created")
    }
    (block,) = re.findall(r"^    groups:\n(?:    .*\n)+", text, re.MULTILINE)
    (group,) = yaml.safe_load(block)["groups"]
    assert len(group["rules"]) == 3
    for rule in group["rules"]:
        assert set(re.findall(r"rarrweb_\w+", rule["expr"])) <= reported


def test_requests_are_counted_by_their_view(client: Client) -> None:
    name = 'rarrweb_request_seconds_count{method="GET",status="200",view="healthz"}'
    before = figures(client).get(name, 0)
    client.get("/healthz")
    client.get("/healthz")
    reported = figures(client)
    assert reported[name] == before + 2
    assert not any("/" in each for each in reported if "_request_" in each), "no paths"


def test_all_processes_of_a_web_server_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    folders = {"TMPDIR": str(tmp_path), "HOME": str(tmp_path)}
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "gunicorn", "-c", "python:rarrweb.operations.gunicorn_config"),
            *("rarrweb.wsgi", "--bind", f"127.0.0.1:{port}", "--workers", "2"),
        ],
        cwd=ROOT,
        env={**embedded(tmp_path), **folders, "RARR_METRICS_TOKEN": TOKEN},
    )
    try:
        count = 'rarrweb_request_seconds_count{method="GET",status="200",view="healthz"}'
        wait_until_answered(f"http://127.0.0.1:{port}/healthz", server)
        (folder,) = tmp_path.glob("rarrweb-metrics-*")
        deadline = time.monotonic() + 300
        while len({re.sub(r"\D", "", each.name) for each in folder.glob("histogram_*.db")}) < 2:
            assert time.monotonic() < deadline, "one process answers all: that shows nothing"
            fetch(port, "/healthz")
        # Counted from here: on a busy machine, requests given up during the start end late.
        first = read(fetch(port, "/metrics"))[count]
        for _ in range(5):
            fetch(port, "/healthz")
        # Whichever of the two answers, it tells what both have counted.
        assert {read(fetch(port, "/metrics"))[count] for _ in range(10)} == {first + 5}
        # gunicorn's own socket would be in a home that several machines may share.
        assert not (tmp_path / ".gunicorn").exists()
    finally:
        server.terminate()
        server.wait(timeout=300)
    assert not list(tmp_path.glob("rarrweb-metrics-*"))


def fetch(port: int, path: str) -> str:
    # Prometheus names the host that it reaches, which is not the site's.
    headers = {"Authorization": f"Bearer {TOKEN}", "Host": f"web-1.lab.example:{port}"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=120) as answer:  # noqa: S310
        return answer.read().decode()
