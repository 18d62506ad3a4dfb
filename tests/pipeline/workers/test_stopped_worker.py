"""A worker that is told to stop ends what it can, and gives back the rest at once."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest
from django.utils import timezone

from pipeline.jobs import queue
from pipeline.models import Corpus, Revision, Run
from rarrweb.celery import INDEXING, PASSAGES
from tests.support.factories import make_corpus, make_revision, make_run
from tests.support.worker_process import StartWorker, wait_until

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]

LEASE_SECONDS = 600
"""Nothing in here comes back because its lease ran out."""
APP = "tests.support.worker_app"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "script.log"


def sent_revision() -> Revision:
    run = make_run(state=Run.State.RUNNING)
    revision = make_revision(run)
    assert queue.send_unsent(run.pk) == 1
    return revision


def test_unfinished_work_is_returned(start_worker: StartWorker, log: Path) -> None:
    revision = sent_revision()
    slow = {"SCRIPT_LOG": str(log), "SCRIPT_SECONDS": "600", "RARR_STOP_SECONDS": "1"}
    worker = start_worker(app=APP, lease_seconds=LEASE_SECONDS, environment=slow)
    wait_until(lambda: log.exists(), because="the passage is not begun")
    worker.process.terminate()
    worker.process.wait(timeout=300)
    revision.refresh_from_db()
    assert (revision.state, revision.claim, revision.lease_until) == ("queued", "", None)
    assert (revision.attempts, revision.lost_leases) == (0, 0)

    quick = slow | {"SCRIPT_SECONDS": "0"}
    start_worker(app=APP, lease_seconds=LEASE_SECONDS, environment=quick)
    wait_until(lambda: "recorded" in log.read_text(), because="the next worker does not take it")
    words = [line.split()[0] for line in log.read_text().splitlines()]
    assert words == ["begun", "begun", "recorded"]
    revision.refresh_from_db()
    assert (revision.attempts, revision.lost_leases) == (1, 0)


def test_what_it_can_end_in_time_is_ended(start_worker: StartWorker, log: Path) -> None:
    revision = sent_revision()
    timely = {"SCRIPT_LOG": str(log), "SCRIPT_SECONDS": "2", "RARR_STOP_SECONDS": "60"}
    worker = start_worker(app=APP, lease_seconds=LEASE_SECONDS, environment=timely)
    wait_until(lambda: log.exists(), because="the passage is not begun")
    worker.process.terminate()
    assert worker.process.wait(timeout=300) == 0
    revision.refresh_from_db()
    assert (revision.state, revision.attempts) == (Revision.State.DONE, 1)


def test_a_worker_without_its_pool_ends(start_worker: StartWorker, log: Path) -> None:
    """A signal to all its processes, as `timeout` and `kill -- -GROUP` send it."""
    sent_revision()
    slow = {"SCRIPT_LOG": str(log), "SCRIPT_SECONDS": "600", "RARR_STOP_SECONDS": "0"}
    worker = start_worker(app=APP, lease_seconds=LEASE_SECONDS, environment=slow)
    wait_until(lambda: log.exists(), because="the passage is not begun")
    os.killpg(worker.process.pid, signal.SIGTERM)
    worker.process.wait(timeout=300)
    wait_until(lambda: not is_there(worker.process.pid), because="some of its pool live on")


def is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_short_work_is_done_while_all_long_work_waits(start_worker: StartWorker, log: Path) -> None:
    """What `serve` starts: a worker for each of the two."""
    corpus = make_corpus(state=Corpus.State.QUEUED)
    assert queue.send(queue.INDEX_CORPUS, [corpus.pk])
    scripted = {"SCRIPT_LOG": str(log), "SCRIPT_INDEX_SECONDS": "600", "RARR_STOP_SECONDS": "0"}
    given = {"lease_seconds": LEASE_SECONDS, "environment": scripted}
    one = partial(start_worker, app=APP, concurrency=1, **given)
    one(options=("-Q", INDEXING))
    wait_until(lambda: log.exists(), because="the index is not begun")
    revision = sent_revision()
    one(options=("-Q", PASSAGES))
    done = Revision.objects.filter(pk=revision.pk, state=Revision.State.DONE)
    wait_until(done.exists, because="the passage waits for the index")
    corpus.refresh_from_db()
    assert corpus.state == Corpus.State.INDEXING
    assert corpus.lease_until > timezone.now()
