"""How far a run is, and what holds it up."""

from datetime import timedelta

import pytest
from django.utils import timezone

from pipeline.figures.progress import (
    Progress,
    failure_reasons,
    retrying_passages,
    run_progress,
)
from pipeline.models import Revision, Run
from tests.support.estimates import known
from tests.support.factories import make_revision, make_run

pytestmark = pytest.mark.django_db


State = Run.State


def test_progress_counts_every_state() -> None:
    run = make_run(passage_count=7)
    for state, number in (("done", 3), ("failed", 1), ("running", 1), ("queued", 2)):
        for _ in range(number):
            make_revision(run, state=state)
    progress = run_progress(run)
    assert (progress.done, progress.failed, progress.working, progress.waiting) == (3, 1, 1, 2)
    assert (progress.ended, progress.percent) == (4, 57)


def test_progress_is_not_100_percent_before_the_last_passage() -> None:
    assert Progress(total=1000, done=999).percent == 99


def test_the_speed_and_the_time_left_come_from_the_latest_passages() -> None:
    run = make_run(passage_count=30)
    now = timezone.now()
    for n in range(10):
        ended = now - timedelta(seconds=2 * n)
        make_revision(run, state=Revision.State.DONE, finished_at=ended)
    # Long ago it was slower; that tells nothing about now.
    make_revision(run, state=Revision.State.DONE, finished_at=now - timedelta(hours=2))
    progress = run_progress(run)
    rate, time_left = known(progress.rate), known(progress.time_left)
    assert (rate.value, rate.n) == (pytest.approx(9 / 18, rel=0.1), 9)
    assert time_left.total_seconds() == pytest.approx(19 / (9 / 18), rel=0.1)
    soonest, latest = known(progress.time_left_range)
    assert soonest < time_left < latest


def test_the_rate_is_of_the_last_minute_where_enough_passages_ended_in_it() -> None:
    run = make_run(passage_count=100)
    now = timezone.now()
    for n in range(50):
        # One a second in the last half minute; before that one in ten seconds.
        ago = n if n < 30 else 30 + 10 * (n - 30)
        make_revision(run, state=Revision.State.DONE, finished_at=now - timedelta(seconds=ago))
    progress = run_progress(run)
    assert timedelta(seconds=45) < known(progress.rate_over) <= timedelta(minutes=1)
    assert known(progress.rate).value == pytest.approx(32 / 50, rel=0.1)


def test_nobody_can_tell_the_speed_of_one_passage_or_of_a_paused_run() -> None:
    run = make_run(passage_count=5)
    make_revision(run, state=Revision.State.DONE, finished_at=timezone.now())
    assert run_progress(run).rate is None
    make_revision(run, state=Revision.State.DONE, finished_at=timezone.now())
    run.state = State.PAUSED
    assert run_progress(run).rate is None
    assert run_progress(run).time_left is None


def test_passages_put_back_are_counted_with_the_latest_reason() -> None:
    run = make_run()
    now = timezone.now()
    later = {"not_before": now + timedelta(minutes=1)}
    make_revision(run)
    assert retrying_passages(run) is None
    make_revision(run, **later, started_at=now, failure="TransientError", failure_message="new")
    make_revision(run, **later, started_at=now - timedelta(hours=1), failure_message="old")
    latest = {"failure": "TransientError", "failure_message": "new"}
    assert retrying_passages(run) == {"count": 2, **latest}


def test_failure_reasons_are_counted_most_frequent_first() -> None:
    run = make_run()
    for name in ("WorkerCrashed", "BadConfig", "WorkerCrashed"):
        make_revision(run, state=Revision.State.FAILED, failure=name)
    reasons = failure_reasons(run)
    figures = [(each.words, each.count, len(each.first)) for each in reasons]
    assert figures == [("worker crashed", 2, 2), ("bad config", 1, 1)]
