"""A worker's job: what its row has of a failure, and how it is given back."""

from typing import Any, cast
from unittest.mock import Mock

import psycopg
import pytest
from django.db import OperationalError
from django.db.models import QuerySet

from pipeline.jobs import leases, shutdown
from pipeline.jobs.leases import Lease
from pipeline.jobs.runner import failure_sentence
from pipeline.models import ScoringJob
from pipeline.rarr.errors import RarrError
from pipeline.runs.scoring import Scoring
from tests.support.factories import make_run
from tests.support.worker_process import wait_until


def test_a_failure_is_explained() -> None:
    assert failure_sentence(RarrError("Plainly.")) == "Plainly."
    assert "no space left" in failure_sentence(OSError(28, "No space left on device"))
    assert "KeyError" in failure_sentence(KeyError("secret"))
    assert "secret" not in failure_sentence(KeyError("secret"))


@pytest.mark.django_db(transaction=True)
def test_a_stopping_worker_returns_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    job = ScoringJob.objects.create(run=make_run())

    def work(_: Scoring, job: ScoringJob, lease: Lease) -> dict[str, Any]:
        assert not Scoring().waiting().exists()
        monkeypatch.setattr(shutdown, "deadline_passed", lambda: True)
        wait_until(lambda: not lease.mine.exists(), because="the job is not given back")
        lease.confirm()
        pytest.fail("it writes on")

    monkeypatch.setattr(Scoring, "work", work)
    assert not Scoring().run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.failure, job.claim, job.lost_leases) == ("running", "", "", 0)
    assert Scoring().waiting().filter(pk=job.pk).exists()
    assert not Scoring().run(job.pk), "it begins nothing more"
    job.refresh_from_db()
    assert job.claim == ""


def outage(cause: psycopg.Error) -> OperationalError:
    """What Django raises for it."""
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


AWAY = psycopg.OperationalError("server closed the connection unexpectedly")
FULL = psycopg.errors.DiskFull("could not extend file: No space left on device")


@pytest.mark.django_db
@pytest.mark.parametrize("cause", [AWAY, FULL])
def test_an_outage_of_the_database_is_no_fault_of_the_job(
    monkeypatch: pytest.MonkeyPatch, cause: psycopg.Error
) -> None:
    """Else two restarts of the database within one long job would set it aside for good."""
    job = ScoringJob.objects.create(run=make_run())
    monkeypatch.setattr(Scoring, "work", Mock(side_effect=outage(cause)))
    for _ in range(leases.MAX_CRASHES + 1):
        assert not Scoring().run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.claim, job.lease_until, job.lost_leases) == ("running", "", None, 0)
    assert Scoring().waiting().filter(pk=job.pk).exists()


class Rows:
    """Rows of a database that is away at first."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.written: dict[str, Any] = {}

    def update(self, **values: Any) -> int:
        if self.errors:
            raise self.errors.pop(0)
        self.written = values
        return 1


def write(rows: Rows) -> int:
    return leases.write_end(cast("QuerySet[Any]", rows), state="done")


@pytest.mark.django_db
def test_the_end_of_a_job_waits_for_the_database(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(leases, "RETRY_SECONDS", 0)
    rows = Rows(*(outage(AWAY) for _ in range(20)))
    assert write(rows) == 1
    assert rows.written == {"claim": "", "lease_until": None, "state": "done"}
    assert caplog.text.count("the end of a job waits") == 1


@pytest.mark.django_db
def test_the_end_of_a_job_waits_for_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OperationalError, match="no such table"):
        write(Rows(OperationalError("no such table")))
    monkeypatch.setattr(shutdown, "deadline_passed", lambda: True)
    with pytest.raises(OperationalError, match="closed"):
        write(Rows(outage(AWAY)))
