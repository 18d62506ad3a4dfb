"""What happened to a run, and when."""

from datetime import UTC, datetime, timedelta

import pytest

from pipeline.models import Revision, Run
from pipeline.runs.progress import run_events
from tests.support.factories import make_revision, make_run

START = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)


def after(**time: float) -> datetime:
    return START + timedelta(**time)


@pytest.mark.django_db
def test_events_name_the_start_the_first_the_half_and_the_end() -> None:
    run = make_run(
        state=Run.State.FINISHED, started_at=START, finished_at=after(hours=1), passage_count=3
    )
    for n in (3, 1, 2):
        make_revision(run, state=Revision.State.DONE, finished_at=after(minutes=n))
    make_revision(run)
    assert run_events(run) == [
        (after(hours=1), "Finished"),
        (after(minutes=2), "Half of the passages done"),
        (after(minutes=1), "First passage done"),
        (START, "Started"),
    ]
