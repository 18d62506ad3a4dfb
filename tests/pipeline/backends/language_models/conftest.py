"""The library's retries follow at once."""

import pytest


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.001)
