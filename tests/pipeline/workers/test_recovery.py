"""The sweep finds dead workers' rows and lost messages, and does not flood the queue."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from pipeline.jobs import queue
from pipeline.jobs.runner import JobRunner
from pipeline.models import Corpus, Revision, Run, ScoringJob, Upload
from pipeline.workers import recovery
from rarrweb.celery import INDEXING, PASSAGES
from tests.support.factories import make_corpus, make_revision, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_queue")]


def long_ago() -> Any:
    return timezone.now() - timedelta(hours=1)


def make_running(run: Run, **values: Any) -> Revision:
    lease = {"claim": "of a dead worker", "lease_until": long_ago(), "sent_at": long_ago()}
    return make_revision(run, **{"state": Revision.State.RUNNING, "attempts": 1, **lease, **values})


@pytest.mark.parametrize(
    ("state", "lease_seconds", "expected", "claim"),
    [
        (Run.State.RUNNING, 30, Revision.State.RUNNING, "of a dead worker"),
        (Run.State.PAUSED, -30, Revision.State.QUEUED, ""),
        (Run.State.CANCELLED, -30, Revision.State.QUEUED, ""),
    ],
)
def test_a_passage_of_a_living_worker_or_a_stopped_run_is_not_sent(
    state: str, lease_seconds: int, expected: str, claim: str
) -> None:
    lease = timezone.now() + timedelta(seconds=lease_seconds)
    revision = make_running(make_run(state=state), lease_until=lease)
    recovery.sweep()
    revision.refresh_from_db()
    assert (revision.state, revision.claim) == (expected, claim)
    assert queue.queue_length(PASSAGES) == 0


def test_the_queue_does_not_grow_however_often_the_sweep_runs() -> None:
    run = make_run()
    for _ in range(5):
        make_revision(run, sent_at=long_ago())
    for _ in range(4):
        Revision.objects.update(sent_at=long_ago())  # as if hours lay between
        recovery.sweep()
    assert queue.queue_length(PASSAGES) == 5


def test_only_the_missing_messages_are_sent_the_oldest_first() -> None:
    run, now = make_run(), timezone.now()
    last, oldest, middle = (make_revision(run, sent_at=now - timedelta(hours=h)) for h in (1, 3, 2))
    queue.send(queue.REVISE_PASSAGE, [last.pk, middle.pk])
    recovery.sweep()
    assert queue.queue_length(PASSAGES) == 3
    oldest.refresh_from_db()
    assert timezone.now() - oldest.sent_at < timedelta(minutes=1)


@pytest.mark.parametrize(("hours", "sent"), [(1, 1), (0, 0)])
def test_a_message_of_a_clock_ahead_is_lost_and_one_on_its_way_is_not(
    hours: int, sent: int
) -> None:
    make_revision(make_run(), sent_at=timezone.now() + timedelta(hours=hours))
    recovery.sweep()
    assert queue.queue_length(PASSAGES) == sent


def test_a_passage_whose_wait_is_over_is_sent_and_one_that_still_waits_is_not() -> None:
    run = make_run()
    make_revision(run, not_before=timezone.now() - timedelta(seconds=1))
    make_revision(run, not_before=timezone.now() + timedelta(hours=1))
    recovery.send_due()
    assert queue.queue_length(PASSAGES) == 1


def test_nothing_new_is_sent_while_a_whole_batch_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "BATCH", 2)
    run = make_run()
    for _ in range(5):
        make_revision(run)
    for _ in range(3):
        recovery.send_due()
    assert queue.queue_length(PASSAGES) == 2


def test_a_run_whose_end_nobody_recorded_is_finished() -> None:
    run = make_run()
    make_revision(run, state=Revision.State.DONE)
    recovery.sweep()
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED


@pytest.mark.parametrize(
    ("state", "lease", "sent"),
    [
        (Corpus.State.QUEUED, None, 1),
        (Corpus.State.INDEXING, timedelta(hours=-1), 1),
        (Corpus.State.INDEXING, timedelta(seconds=30), 0),
        (Corpus.State.INDEXING, timedelta(hours=1), 1),  # given by a clock that was ahead
        (Corpus.State.READY, None, 0),
    ],
)
def test_a_corpus_that_nobody_indexes_is_sent_once(
    state: str, lease: timedelta | None, sent: int
) -> None:
    make_corpus(state=state, lease_until=lease and timezone.now() + lease)
    recovery.sweep()
    recovery.sweep()
    assert queue.queue_length(INDEXING) == sent


@pytest.mark.parametrize("runner", recovery.RUNNERS, ids=lambda runner: runner.model.__name__)
def test_a_dead_workers_row_of_any_kind_waits_again_and_is_sent(runner: JobRunner[Any]) -> None:
    make: dict[type, Callable[[], Any]] = {
        Revision: lambda: make_running(make_run()),
        Corpus: lambda: make_corpus(state=Corpus.State.INDEXING),
        Upload: lambda: Upload.objects.create(kind=Upload.Kind.PASSAGES),
        ScoringJob: lambda: ScoringJob.objects.create(run=make_run(), state="running"),
    }
    assert make.keys() == {each.model for each in recovery.RUNNERS}
    row = make[runner.model]()
    runner.model.objects.update(claim="of a dead worker", lease_until=long_ago())
    recovery.sweep()
    row.refresh_from_db()
    assert (row.claim, row.lease_until, row.lost_leases) == ("", None, 1)
    assert queue.queue_length(queue.QUEUES[runner.tasks[0]]) == 1


def test_a_broker_that_is_away_does_not_stop_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    revision = make_running(make_run())
    monkeypatch.setattr(queue, "queue_length", lambda name: None)
    recovery.sweep()
    revision.refresh_from_db()
    assert revision.state == Revision.State.QUEUED


def test_sessions_that_have_run_out_are_deleted() -> None:
    for key, days in (("old", -1), ("young", 1)):
        Session.objects.create(session_key=key, expire_date=timezone.now() + timedelta(days=days))
    recovery.sweep()
    assert Session.objects.get().session_key == "young"
