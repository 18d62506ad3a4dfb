"""A broker that answers, and refuses: RabbitMQ that knows no such user or virtual host."""

import pytest
from amqp.exceptions import AccessRefused, NotFound
from kombu import Connection
from pytest_django import Settings

from pipeline.doctor import installation
from pipeline.jobs import queue
from rarrweb.celery import TRIALS, app
from tests.support.findings import seen

REFUSED = AccessRefused("Login was refused", (10, 40), "Connection.open")


def refuse(*args: object, **options: object) -> None:
    raise REFUSED


def test_what_is_sent_waits_for_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "send_task", refuse)
    assert queue.send(queue.REVISE_TRIAL, [1]) is False


def test_nobody_says_that_no_message_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "channel", refuse)
    assert queue.queue_length(TRIALS) is None


def test_a_queue_that_nobody_has_used_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(*args: object, **options: object) -> None:
        raise NotFound("no queue", (50, 10), "Queue.declare")

    monkeypatch.setattr(Connection, "channel", find_nothing)
    assert queue.queue_length(TRIALS) == 0


def test_the_doctor_says_what_to_correct(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.CELERY_BROKER_URL = "amqp://rarrweb:wrong@queue:5672/rarrweb"
    monkeypatch.setattr(Connection, "ensure_connection", refuse)
    assert "correct CELERY_BROKER_URL" in seen(installation.check_queue).fix
