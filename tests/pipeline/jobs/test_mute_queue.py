"""A Redis that takes connections and says nothing is a queue that is away."""

import socket
import threading

import pytest
from kombu import Connection

from pipeline.jobs import queue
from rarrweb.celery import PASSAGES, REDIS_OPTIONS


def test_a_queue_that_stands_still_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "IS_REDIS", True)
    monkeypatch.setattr(queue, "SECONDS_TO_ANSWER", 0.03)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"redis://127.0.0.1:{mute.getsockname()[1]}/0"
        monkeypatch.setattr(
            queue.app,
            "connection_for_read",
            lambda: Connection(url, transport_options=dict(REDIS_OPTIONS)),
        )
        found: list[int | None] = []
        asking = threading.Thread(
            target=lambda: found.append(queue.queue_length(PASSAGES)), daemon=True
        )
        asking.start()
        asking.join(60)
    assert found == [None]


def test_a_worker_gives_no_acknowledgement_up() -> None:
    """One that ends with a timeout would keep its place among the prefetched for good."""
    assert "socket_timeout" not in REDIS_OPTIONS
