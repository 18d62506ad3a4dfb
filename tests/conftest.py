"""Fixtures for all tests."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, TransactionTestCase
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from whitenoise.middleware import WhiteNoiseMiddleware

from pipeline.jobs import queue
from rarrweb.accounts.models import User
from tests.support.api import api_client
from tests.support.emptied_tables import empty_tables
from tests.support.factories import make_user
from tests.support.skips import pytest_sessionfinish, pytest_terminal_summary
from tests.support.worker_process import empty_queue, start_worker

# Hooks and fixtures that pytest finds here.
__all__ = ["empty_queue", "pytest_sessionfinish", "pytest_terminal_summary", "start_worker"]

# A busy machine is no failure: examples have no deadline, and may be slow to draw.
hypothesis_settings.register_profile(
    "rarrweb", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("rarrweb")

WITH_SERVICES = {"django_db", "browser", "worker", "db", "transactional_db", "live_server"}
"""Marks and fixtures of tests that use a database, a queue or a live server."""
ON_ONE = "page_only"
"""The mark of tests that use them, and come out alike on any."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select tests that depend on services, for RARR_TESTS=services."""
    if os.environ.get("RARR_TESTS") != "services":
        return
    stored, others = [], []
    for item in items:
        names = {mark.name for mark in item.iter_markers()} | set(item.fixturenames)
        (stored if names & WITH_SERVICES and ON_ONE not in names else others).append(item)
    items[:] = stored
    config.hook.pytest_deselected(items=others)


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def static_files_listed_once() -> Iterator[None]:
    files: dict[str, object] = {}
    list_files = WhiteNoiseMiddleware.add_files_from_finders

    def list_once(middleware: WhiteNoiseMiddleware) -> None:
        if not files:
            list_files(middleware)
            files.update(middleware.files)
        middleware.files.update(files)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", list_once)
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty_tables)
        yield


@pytest.fixture
def state_folder(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "var"
    settings.CORPUS_DIR = tmp_path / "var" / "corpora"
    settings.UPLOAD_DIR = tmp_path / "var" / "uploads"


@pytest.fixture
def without_queue(state_folder: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """No message is sent: the test itself plays the worker's part."""
    monkeypatch.setattr(queue, "send", lambda *args: True)


@pytest.fixture
def researcher(db: None) -> User:
    return make_user("ruth", role=User.Role.RESEARCHER)


@pytest.fixture
def administrator(db: None) -> User:
    return make_user("ada", role=User.Role.ADMINISTRATOR)


@pytest.fixture
def annotator(db: None) -> User:
    return make_user("anna")


@pytest.fixture
def stranger(db: None) -> User:
    return make_user("stan")


@pytest.fixture
def as_researcher(client: Client, researcher: User) -> Client:
    client.force_login(researcher)
    return client


@pytest.fixture
def program(researcher: User) -> Client:
    """A program with the researcher's token."""
    return api_client(researcher)


@pytest.fixture
def as_administrator(client: Client, administrator: User) -> Client:
    client.force_login(administrator)
    return client


@pytest.fixture
def as_annotator(client: Client, annotator: User) -> Client:
    client.force_login(annotator)
    return client
