"""Fixtures that more than one room of the tests needs."""

import pytest
from django.test import Client

from rarrweb.accounts.models import User
from tests.factories import make_user
from tests.skips import pytest_sessionfinish, pytest_terminal_summary
from tests.worker_process import start_worker

# Hooks and a fixture that pytest finds here.
__all__ = ["pytest_sessionfinish", "pytest_terminal_summary", "start_worker"]


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
