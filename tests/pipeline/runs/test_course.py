"""The course of a run: what happened when, and its rate over time."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from pipeline.models import Revision, Run
from pipeline.runs.course import FEWEST, Course, ends_of, rate_course, run_events
from tests.support.factories import make_revision, make_run

START = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)


def after(**time: float) -> datetime:
    return START + timedelta(**time)


def course_of(ended: list[datetime], **values: object) -> Course | None:
    run = Run(state=Run.State.FINISHED, started_at=START, **values)
    return rate_course(run, ended)


def test_the_rate_is_of_equal_steps_from_the_start_on() -> None:
    # Two a minute for five minutes, nothing for five, four a minute for the last five.
    ended = [after(minutes=n / 2 + 0.4) for n in range(10)]
    ended += [after(minutes=10 + n / 4 + 0.25) for n in range(20)]
    found = course_of(ended)
    assert found is not None
    assert (found.unit, len(found.rates)) == ("minute", 7)
    assert found.rates[0] == pytest.approx(2, abs=0.5)
    assert found.rates[3] == 0
    assert found.rates[-1] == pytest.approx(4, abs=0.5)
    assert found.overall == pytest.approx(30 / 15, rel=0.01)
    assert found.fastest <= found.top


def test_slow_passages_are_counted_by_the_hour() -> None:
    found = course_of([after(hours=n + 1) for n in range(40)])
    assert found is not None
    assert (found.unit, found.clock) == ("hour", "j M, H:i")
    assert found.overall == pytest.approx(1)


def test_few_passages_and_a_short_time_have_no_course() -> None:
    assert course_of([after(minutes=n) for n in range(FEWEST - 1)]) is None
    assert course_of([after(seconds=n) for n in range(FEWEST)]) is None


def test_the_line_goes_from_edge_to_edge_through_the_steps_middles() -> None:
    found = Course(unit="minute", rates=(8.0, 0.0), start=START, end=after(minutes=2), top=8.0)
    assert found.points == "0,0 250,0 750,1000 1000,1000"
    assert found.lines[0] == (0, 1)
    assert found.marks[-1] == (after(minutes=2), 1)


@pytest.mark.django_db
def test_the_overview_draws_it_where_enough_passages_ended(as_researcher: Client) -> None:
    run = make_run(state=Run.State.FINISHED, started_at=START, passage_count=FEWEST)
    for n in range(FEWEST):
        assert "Passages per minute" not in as_researcher.get(f"/runs/{run.pk}/").content.decode()
        done = {"state": Revision.State.DONE, "finished_at": after(minutes=n + 1)}
        make_revision(run, **done)
    page = as_researcher.get(f"/runs/{run.pk}/").content.decode()
    said = "Passages per minute from 10:00 to 10:20: 1.0 over the whole time, between 1.0 and 1.0"
    assert f'role="img" aria-label="{said}' in page


@pytest.mark.django_db
def test_events_name_the_start_the_first_the_half_and_the_end() -> None:
    run = make_run(
        state=Run.State.FINISHED, started_at=START, finished_at=after(hours=1), passage_count=3
    )
    for n in (3, 1, 2):
        make_revision(run, state=Revision.State.DONE, finished_at=after(minutes=n))
    make_revision(run)
    assert run_events(run, ends_of(run)) == [
        (after(hours=1), "Finished"),
        (after(minutes=2), "Half of the passages done"),
        (after(minutes=1), "First passage done"),
        (START, "Started"),
    ]
