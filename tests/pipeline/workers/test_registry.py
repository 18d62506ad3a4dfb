"""Which workers count as alive, and what stops a heartbeat."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone
from pytest_django import Settings

from pipeline.models import Worker
from pipeline.workers import heartbeat, recovery, registry
from tests.support.worker_process import wait_until


@pytest.mark.django_db
def test_a_silent_worker_counts_as_dead_and_is_forgotten(settings: Settings) -> None:
    registry.beat("a")
    silence = timedelta(seconds=registry.MISSED_BEATS * settings.HEARTBEAT_SECONDS + 1)
    Worker.objects.update(last_seen=timezone.now() - silence)
    assert not registry.alive().exists()
    registry.beat("a")
    assert registry.alive().exists()
    assert Worker.objects.count() == 1
    Worker.objects.update(last_seen=timezone.now() - timedelta(days=2))
    registry.beat("new")
    registry.remove_dead()
    assert list(Worker.objects.values_list("name", flat=True)) == ["new"]


@pytest.fixture
def beating(transactional_db: None, settings: Settings) -> Iterator[heartbeat.HeartbeatThread]:
    settings.HEARTBEAT_SECONDS = 0.05
    settings.SWEEP_SECONDS = 0.05
    started = heartbeat.HeartbeatThread(queues=[])
    yield started
    started.stop()


def wait_for_beat(*, after: object = None) -> None:
    beaten = Worker.objects.exclude(last_seen=after)
    wait_until(beaten.exists, because="no heartbeat")


@pytest.mark.django_db(transaction=True)
def test_the_heartbeat_ends_when_it_is_stopped(beating: heartbeat.HeartbeatThread) -> None:
    beating.start()
    wait_for_beat()
    wait_for_beat(after=Worker.objects.get().last_seen)
    beating.stop()
    assert not Worker.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_heartbeat_survives_a_database_that_is_locked_and_a_sweep_that_fails(
    beating: heartbeat.HeartbeatThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = []

    def fail(*args: object) -> None:
        failures.append(args)
        raise OperationalError("database is locked")

    beat = registry.beat
    monkeypatch.setattr(
        registry, "beat", lambda *args: beat(*args) if len(failures) > 4 else fail()
    )
    monkeypatch.setattr(recovery, "sweep", fail)
    beating.start()
    wait_for_beat()
    assert len(failures) > 4
