"""A worker's turn at a job: what its row says of a failure, and how it is given back."""

import time

import pytest
from django.db.models import QuerySet

from pipeline.jobs import stopping
from pipeline.jobs.leases import Lease
from pipeline.jobs.turns import failure_sentence, take_turn
from pipeline.models import ScoringJob
from pipeline.rarr.errors import RarrError
from pipeline.runs.scoring_jobs import waiting_jobs
from tests.support.factories import make_run


def test_a_failure_is_told_in_a_sentence() -> None:
    assert failure_sentence(RarrError("Said plainly.")) == "Said plainly."
    assert "no space left" in failure_sentence(OSError(28, "No space left on device"))
    assert "KeyError" in failure_sentence(KeyError("secret"))
    assert "secret" not in failure_sentence(KeyError("secret"))


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_stops_gives_its_job_back_and_writes_nothing_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = ScoringJob.objects.create(run=make_run())

    def work(job: ScoringJob, mine: QuerySet[ScoringJob], lease: Lease) -> None:
        assert not waiting_jobs().exists()
        monkeypatch.setattr(stopping, "is_over", lambda: True)
        deadline = time.monotonic() + 30
        while mine.exists():
            assert time.monotonic() < deadline, "the job is not given back"
            time.sleep(0.05)
        lease.confirm()
        pytest.fail("it writes on")

    def take() -> bool:
        return take_turn(
            waiting_jobs(), job.pk, work, set_aside=str, state=ScoringJob.State.RUNNING
        )

    assert not take()
    job.refresh_from_db()
    assert (job.state, job.failure, job.claim, job.lost_leases) == ("running", "", "", 0)
    assert waiting_jobs().filter(pk=job.pk).exists()
    assert not take(), "it begins nothing more"
    job.refresh_from_db()
    assert job.claim == ""
