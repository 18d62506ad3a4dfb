"""The servers of pages.test, with a certificate that clients trust."""

from collections.abc import Iterator

import pytest

from tests.support.web_server import WebServer, trust_pages_test


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    trust_pages_test(monkeypatch)
    with WebServer() as server:
        yield server
