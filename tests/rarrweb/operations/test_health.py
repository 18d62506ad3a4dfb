"""Liveness and readiness."""

from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

from rarrweb.operations import health

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_is_migrated", False)


def test_it_is_ready_with_its_tables_and_its_queue(client: Client) -> None:
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ok", "queue": "ok"})


def test_it_is_not_ready_before_its_migrations(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'pipeline'")
    assert client.get("/readyz").status_code == 503
    assert client.get("/readyz").json() == {"status": "tables are not up to date"}
    assert client.get("/healthz").json() == {"status": "ok"}


def test_a_queue_that_is_away_is_reported_and_takes_no_rater_their_page(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rarrweb.operations.health.queue_length", lambda name: None)
    response = client.get("/readyz")
    assert (response.status_code, response.json()["queue"]) == (200, "away")


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_may_use_any_name_of_the_machine(
    client: Client, settings: Settings, path: str
) -> None:
    settings.PUBLIC_URL = urlsplit("https://rarr.example.org")
    settings.ALLOWED_HOSTS = ["rarr.example.org"]
    assert client.get(path, headers={"Host": "10.0.0.7:8000"}).status_code == 200
    assert client.get("/log-in/", headers={"Host": "10.0.0.7:8000"}).status_code == 400
