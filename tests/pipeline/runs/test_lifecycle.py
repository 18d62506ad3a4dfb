"""The life of a run, how far it is, and what came out."""

from datetime import timedelta

import pytest
from django.utils import timezone

from pipeline.models import Revision, Run
from pipeline.runs import lifecycle
from pipeline.runs.progress import Progress, failure_reasons, passages_put_back, run_progress
from pipeline.runs.results import mean_attribution_of, run_results
from tests.support.factories import make_revision, make_run

pytestmark = pytest.mark.django_db

State = Run.State


def state_of(run: Run) -> str:
    run.refresh_from_db()
    return run.state


def test_a_running_run_pauses_and_goes_on() -> None:
    run = make_run()
    make_revision(run)
    assert lifecycle.pause(run)
    assert state_of(run) == State.PAUSED
    assert not lifecycle.pause(run)
    assert lifecycle.resume(run)
    assert state_of(run) == State.RUNNING
    assert not lifecycle.resume(run)


def test_a_run_whose_last_passage_ended_while_it_was_paused_finishes_when_resumed() -> None:
    run = make_run(state=State.PAUSED)
    make_revision(run, state=Revision.State.DONE)
    lifecycle.resume(run)
    assert state_of(run) == State.FINISHED


@pytest.mark.parametrize("state", [State.CANCELLED, State.FINISHED])
def test_a_run_that_is_over_neither_pauses_nor_resumes_nor_cancels(state: str) -> None:
    run = make_run(state=state)
    assert not any(change(run) for change in (lifecycle.pause, lifecycle.resume, lifecycle.cancel))
    assert state_of(run) == state


@pytest.mark.parametrize("state", [State.RUNNING, State.PAUSED])
def test_a_run_is_cancelled_once_and_keeps_what_is_done(state: str) -> None:
    run = make_run(state=state)
    make_revision(run, state=Revision.State.DONE)
    make_revision(run)
    assert lifecycle.cancel(run)
    assert not lifecycle.cancel(run)
    assert state_of(run) == State.CANCELLED
    assert run.revisions.filter(state=Revision.State.DONE).count() == 1
    assert not Revision.objects.claimable().exists()


def test_retrying_brings_failed_passages_back_with_all_their_tries() -> None:
    run = make_run(state=State.FINISHED, finished_at=timezone.now())
    failed = make_revision(
        run, state=Revision.State.FAILED, attempts=5, failure="GaveUp", failure_message="…"
    )
    done = make_revision(run, state=Revision.State.DONE, attempts=1)
    assert lifecycle.requeue_failed(run) == 1
    failed.refresh_from_db()
    done.refresh_from_db()
    assert (failed.state, failed.attempts, failed.failure) == (Revision.State.QUEUED, 0, "")
    assert done.state == Revision.State.DONE
    assert state_of(run) == State.RUNNING
    assert run.finished_at is None


def test_a_cancelled_run_retries_nothing() -> None:
    run = make_run(state=State.CANCELLED)
    make_revision(run, state=Revision.State.FAILED)
    assert lifecycle.requeue_failed(run) == 0
    assert state_of(run) == State.CANCELLED


def test_what_failed_in_a_paused_run_waits_with_the_others() -> None:
    run = make_run(state=State.PAUSED)
    make_revision(run, state=Revision.State.FAILED)
    assert lifecycle.requeue_failed(run) == 1
    assert state_of(run) == State.PAUSED
    assert not Revision.objects.claimable().exists()


@pytest.mark.parametrize("left", [Revision.State.QUEUED, Revision.State.RUNNING])
def test_a_run_with_work_left_does_not_finish(left: str) -> None:
    run = make_run()
    make_revision(run, state=Revision.State.DONE)
    make_revision(run, state=left)
    assert not lifecycle.finish_if_over(run.pk)
    assert state_of(run) == State.RUNNING


def test_a_run_finishes_once_also_with_failures() -> None:
    run = make_run()
    make_revision(run, state=Revision.State.DONE)
    make_revision(run, state=Revision.State.FAILED)
    assert lifecycle.finish_if_over(run.pk)
    assert not lifecycle.finish_if_over(run.pk)
    assert state_of(run) == State.FINISHED


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
    assert progress.rate is not None
    assert (progress.rate.value, progress.rate.n) == (pytest.approx(9 / 18, rel=0.1), 9)
    assert progress.time_left is not None
    assert progress.time_left.total_seconds() == pytest.approx(19 / (9 / 18), rel=0.1)
    assert progress.time_left_range is not None
    soonest, latest = progress.time_left_range
    assert soonest < progress.time_left < latest


def test_the_rate_is_of_the_last_minute_where_enough_passages_ended_in_it() -> None:
    run = make_run(passage_count=100)
    now = timezone.now()
    for n in range(50):
        # One a second in the last half minute; before that one in ten seconds.
        ago = n if n < 30 else 30 + 10 * (n - 30)
        make_revision(run, state=Revision.State.DONE, finished_at=now - timedelta(seconds=ago))
    progress = run_progress(run)
    assert progress.rate_over is not None
    assert timedelta(seconds=45) < progress.rate_over <= timedelta(minutes=1)
    assert progress.rate is not None
    assert progress.rate.value == pytest.approx(32 / 50, rel=0.1)


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
    assert passages_put_back(run) is None
    make_revision(run, **later, started_at=now, failure="TransientError", failure_message="new")
    make_revision(run, **later, started_at=now - timedelta(hours=1), failure_message="old")
    put_back = passages_put_back(run)
    assert put_back is not None
    assert (put_back.count, put_back.reason, put_back.message) == (2, "TransientError", "new")


def test_results_are_means_over_revised_passages_with_their_n() -> None:
    run = make_run()
    done = {"state": Revision.State.DONE, "preservation": 1.0, "f1_ap": 0.5}
    make_revision(run, **done, attribution_before=0.2, attribution_after=0.6, is_changed=True)
    make_revision(run, **done, attribution_before=0.4, attribution_after=0.6)
    make_revision(run, state=Revision.State.DONE)  # an empty passage: nothing to score
    make_revision(run, state=Revision.State.FAILED, attribution_before=0.0)
    results = run_results(run)
    assert results is not None
    assert results.attribution_before is not None
    assert results.attribution_before.value == pytest.approx(0.3)
    assert results.attribution_before.n == 2
    assert results.attribution_gain is not None
    assert results.attribution_gain.value == pytest.approx(0.3)
    assert results.changed is not None
    assert (results.changed.value, results.changed.n) == (pytest.approx(1 / 3), 3)


def test_the_f1_of_a_run_is_that_of_its_means_as_in_the_paper() -> None:
    run = make_run()
    for after, preservation in [(0.2, 1.0), (0.6, 0.8), (None, 1.0), (0.9, None)]:
        make_revision(
            run,
            state=Revision.State.DONE,
            attribution_after=after,
            preservation=preservation,
            f1_ap=0.1,  # a passage's own is not looked at
        )
    results = run_results(run)
    assert results is not None
    assert results.f1_ap is not None
    assert results.f1_ap.n == 2
    assert results.f1_ap.value == pytest.approx(2 * 0.4 * 0.9 / (0.4 + 0.9))


def test_the_list_and_the_page_of_a_run_give_the_same_gain_with_its_interval() -> None:
    run, unscored = make_run(), make_run()
    make_revision(unscored, state=Revision.State.DONE)
    for before, after in [(0.2, 0.6), (0.4, 0.6), (0.5, 0.55), (None, 0.9), (0.3, None)]:
        make_revision(
            run, state=Revision.State.DONE, attribution_before=before, attribution_after=after
        )
    results = run_results(run)
    assert results is not None
    assert results.attribution_gain is not None
    listed = mean_attribution_of([run, unscored])
    assert list(listed) == [run.pk]
    gain = listed[run.pk].gain
    assert gain.n == 3
    assert (gain.value, gain.low, gain.high) == pytest.approx(
        (
            results.attribution_gain.value,
            results.attribution_gain.low,
            results.attribution_gain.high,
        )
    )


def test_a_run_without_revised_passages_has_no_results() -> None:
    run = make_run()
    make_revision(run)
    assert run_results(run) is None


def test_a_run_with_nothing_to_score_says_none_not_zero() -> None:
    run = make_run()
    make_revision(run, state=Revision.State.DONE)
    results = run_results(run)
    assert results is not None
    assert results.attribution_after is None


def test_failure_reasons_are_counted_most_frequent_first() -> None:
    run = make_run()
    for name in ("GaveUp", "BadConfig", "GaveUp"):
        make_revision(run, state=Revision.State.FAILED, failure=name)
    reasons = failure_reasons(run)
    assert [(each.words, each.count) for each in reasons] == [("gave up", 2), ("bad config", 1)]
    assert [len(each.first) for each in reasons] == [2, 1]
