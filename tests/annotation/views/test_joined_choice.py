"""What the address of the joined table chooses."""

import pytest
from django.test import Client

from annotation.models import Campaign
from annotation.views.joined_results import MAX_RUNS
from pipeline.models import Run
from tests.support.factories import make_dataset, make_passage, make_revision, make_run

pytestmark = pytest.mark.django_db


def revised(**values: object) -> Run:
    run = make_run(**values)
    make_revision(run, passage=make_passage(run.dataset), state="done", text="Y.", preservation=0.5)
    return run


def test_with_nothing_chosen_it_is_the_latest_datasets_runs_and_their_campaigns(
    as_researcher: Client,
) -> None:
    earlier = revised().dataset
    dataset = make_dataset(name="Rivers")
    runs = [revised(dataset=dataset, system=system) for system in ("efec", "rarr")]
    make_run(dataset=dataset)  # has revised nothing
    values = {"questionnaire": "attribution", "sides": "after", "state": "production"}
    judges, other = (
        Campaign.objects.create(slug=slug, name=slug, **values) for slug in ("judges", "other")
    )
    judges.runs.set(runs)
    other.runs.set([revised(dataset=make_dataset(), archived_at="2026-01-01T00:00Z")])
    page = as_researcher.get("/results/")
    choice = page.context["choice"]
    assert f'href="?dataset={earlier.slug}"' in page.content.decode()  # the others are offered
    assert page.context["runs"] == runs
    assert choice.is_default
    assert choice.runs == runs
    assert choice.campaigns == [judges]


def test_runs_and_datasets_can_be_named_in_the_address(as_researcher: Client) -> None:
    one, two, three = revised(), revised(), revised()
    page = as_researcher.get(f"/results/?run={three.pk}&dataset={one.dataset.slug}")
    choice = page.context["choice"]
    assert {run.pk for run in choice.runs} == {one.pk, three.pk}
    assert not choice.problem
    page = as_researcher.get(f"/results/?run={one.pk}&run={two.pk}")
    assert "No campaign judges these runs" in page.content.decode()
    assert as_researcher.get("/results/?dataset=nothing").status_code == 404


def test_a_run_that_is_not_there_and_too_many_runs_are_reported(as_researcher: Client) -> None:
    run = revised()
    choice = as_researcher.get(f"/results/?run={run.pk}&run=999999").context["choice"]
    assert choice.runs == [run]
    assert "do not exist" in choice.problem
    many = "&".join(f"run={number}" for number in range(1, MAX_RUNS + 2))
    assert str(MAX_RUNS) in as_researcher.get(f"/results/?{many}").context["choice"].problem


def test_a_first_visit_reports_what_will_stand_there(as_researcher: Client) -> None:
    page = as_researcher.get("/results/")
    assert "No run yet" in page.content.decode()
    assert page.context["rows"] == []


def test_a_dataset_without_revisions_is_not_replaced_by_another(as_researcher: Client) -> None:
    revised()
    empty = make_dataset(slug="empty")
    make_run(dataset=empty)
    page = as_researcher.get("/results/?dataset=empty")
    assert page.context["choice"].runs == []
    assert "None of these runs has revised a passage" in page.content.decode()


def test_answers_of_strategies_are_no_revisions(as_researcher: Client) -> None:
    dataset = make_dataset()
    run = revised(dataset=dataset)
    answers = revised(dataset=dataset, system="vanilla")
    choice = as_researcher.get("/results/").context["choice"]
    assert choice.runs == [run]
    assert answers not in choice.runs_offered
    page = as_researcher.get(f"/results/?run={answers.pk}")
    assert "Strategies revise nothing" in page.content.decode()
    assert page.context["choice"].runs == []
