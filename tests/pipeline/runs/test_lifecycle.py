"""The life of a run."""

import pytest
from django.utils import timezone

from pipeline.models import Revision, Run
from pipeline.runs import lifecycle
from tests.support.factories import make_revision, make_run

pytestmark = pytest.mark.django_db

State = Run.State


def state_of(run: Run) -> str:
    run.refresh_from_db()
    return run.state


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


@pytest.mark.parametrize(
    ("state", "state_then"), [(State.FINISHED, State.RUNNING), (State.PAUSED, State.PAUSED)]
)
def test_retrying_brings_failed_passages_back_with_all_their_tries(
    state: str, state_then: str
) -> None:
    run = make_run(state=state, finished_at=timezone.now() if state == State.FINISHED else None)
    failed = make_revision(
        run, state=Revision.State.FAILED, attempts=5, failure="WorkerCrashed", failure_message="…"
    )
    done = make_revision(run, state=Revision.State.DONE, attempts=1)
    assert lifecycle.requeue_failed(run) == 1
    failed.refresh_from_db()
    done.refresh_from_db()
    assert (failed.state, failed.attempts, failed.failure) == (Revision.State.QUEUED, 0, "")
    assert done.state == Revision.State.DONE
    assert state_of(run) == state_then
    assert run.finished_at is None
    assert Revision.objects.claimable().exists() == (state_then == State.RUNNING)


@pytest.mark.parametrize("left", [Revision.State.QUEUED, Revision.State.RUNNING])
def test_a_run_finishes_once_without_work_left(left: str) -> None:
    run = make_run()
    make_revision(run, state=Revision.State.DONE)
    last = make_revision(run, state=left)
    assert not lifecycle.finish_if_over(run.pk)
    assert state_of(run) == State.RUNNING
    Revision.objects.filter(pk=last.pk).update(state=Revision.State.FAILED)
    assert lifecycle.finish_if_over(run.pk)
    assert not lifecycle.finish_if_over(run.pk)
    assert state_of(run) == State.FINISHED
