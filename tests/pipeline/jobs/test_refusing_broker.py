"""A broker that refuses connections or messages."""

import socket
import threading
from contextlib import nullcontext
from unittest.mock import Mock

import pytest
from amqp.exceptions import AccessRefused, NotFound
from kombu import Connection
from pytest_django import Settings
from redis.exceptions import OutOfMemoryError, ReadOnlyError, ResponseError

from pipeline.jobs import queue
from rarrweb.celery import PASSAGES, REDIS_OPTIONS, TRIALS, app
from rarrweb.operations.doctor import installation
from tests.support.findings import checked

REFUSED = AccessRefused("Login was refused", (10, 40), "Connection.open")
FULL = OutOfMemoryError("command not allowed when used memory > 'maxmemory'.")
READ_ONLY = ReadOnlyError("You can't write against a read only replica.")
NO_DISK = ResponseError("MISCONF Redis is unable to persist to disk")


@pytest.mark.parametrize("refusal", [REFUSED, FULL])
def test_what_is_sent_waits_for_the_sweep(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, refusal: Exception
) -> None:
    redis = Connection("redis://127.0.0.1:1/0")
    monkeypatch.setattr(app, "connection_for_write", lambda: redis)
    monkeypatch.setattr(app.amqp, "Producer", lambda _broker: nullcontext())
    monkeypatch.setattr(app, "send_task", Mock(side_effect=refusal))
    assert queue.send(queue.REVISE_TRIAL, [1]) is False


@pytest.mark.parametrize(
    ("error", "length"),
    [(REFUSED, None), (NotFound("no queue", (50, 10), "Queue.declare"), 0)],
)
def test_the_length_of_a_queue_is_unknown_or_0_without_it(
    monkeypatch: pytest.MonkeyPatch, error: Exception, length: int | None
) -> None:
    monkeypatch.setattr(Connection, "channel", Mock(side_effect=error))
    assert queue.queue_length(TRIALS) == length


def test_the_doctor_reports_what_to_correct(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.CELERY_BROKER_URL = "amqp://rarrweb:wrong@queue:5672/rarrweb"
    monkeypatch.setattr(Connection, "ensure_connection", Mock(side_effect=REFUSED))
    assert "correct CELERY_BROKER_URL" in checked(installation.check_queue).fix


@pytest.mark.parametrize("refusal", [FULL, READ_ONLY, NO_DISK])
def test_the_doctor_sees_a_redis_that_takes_no_message(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, refusal: Exception
) -> None:
    settings.CELERY_BROKER_URL = "redis://:secret@queue:6380/0"
    monkeypatch.setattr(Connection, "ensure_connection", lambda *_, **__: None)
    client = Mock(**{"set.side_effect": refusal})
    monkeypatch.setattr(Connection, "default_channel", Mock(client=client))
    finding = checked(installation.check_queue)
    assert str(refusal) in finding.message
    assert "give it memory" in finding.fix
    assert "secret" not in str(finding)


def test_a_hanging_queue_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "IS_REDIS", True)
    monkeypatch.setattr(queue, "SECONDS_TO_ANSWER", 0.03)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        redis = Connection(
            f"redis://127.0.0.1:{mute.getsockname()[1]}/0", transport_options=dict(REDIS_OPTIONS)
        )
        monkeypatch.setattr(queue.app, "connection_for_read", lambda: redis)
        lengths: list[int | None] = []
        request = threading.Thread(
            target=lambda: lengths.append(queue.queue_length(PASSAGES)), daemon=True
        )
        request.start()
        request.join(60)
    assert lengths == [None]


def test_a_worker_gives_no_acknowledgement_up() -> None:
    """One that ends with a timeout would stay among the prefetched for good."""
    assert "socket_timeout" not in REDIS_OPTIONS
