"""What runs will take: by the latest run of the same system and model, or unknown."""

import pytest
from django.test import Client
from pytest_django import Settings

from pipeline.models import Run
from pipeline.runs import outlook
from pipeline.runs.outlook import plan_runs
from rarrweb.accounts.models import User
from tests.support.factories import make_dataset, make_revision, make_run

pytestmark = pytest.mark.django_db


def measured(*seconds: float, system: str = "rarr", llm: str = "compact") -> Run:
    run = make_run(system=system, config={"llm": llm})
    for each in seconds:
        usage = {"seconds": each, "model_calls": 3, "cost": 0.5}
        make_revision(run, state="done", usage=usage)
    make_revision(run, state="failed", usage={"seconds": 500})
    return run


def test_the_latest_measured_run_of_the_same_system_and_model_is_taken(researcher: User) -> None:
    measured(90, 90)
    latest = measured(1, 3)
    measured(70, llm="openai:other")
    measured()
    measured(5, system="efec")
    dataset = make_dataset(passage_count=30)
    both = plan_runs(researcher, dataset=dataset, systems=["rarr", "efec"], llm="compact")
    rarr, efec = both.systems
    assert rarr.like == latest
    assert rarr.time is not None
    assert efec.time is not None
    assert (rarr.time.total_seconds(), efec.time.total_seconds()) == (60, 150)
    assert (rarr.calls, rarr.cost) == (90, 15)
    assert both.time is not None
    assert both.time.total_seconds() == 210


def test_a_large_run_is_judged_by_a_sample_from_all_its_parts(
    researcher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlook, "SAMPLE", 3)
    measured(*[1.0] * 6, *[3.0] * 6)
    dataset = make_dataset(passage_count=30)
    [rarr] = plan_runs(researcher, dataset=dataset, systems=["rarr"], llm="compact").systems
    assert rarr.costs is not None
    assert rarr.costs.seconds is not None
    assert 3 <= rarr.costs.seconds.n <= 4
    assert 1 < rarr.costs.seconds.value < 3


def test_a_sum_with_an_unknown_part_is_unknown(researcher: User) -> None:
    measured(1, 3)
    dataset = make_dataset(passage_count=30)
    plan = plan_runs(researcher, dataset=dataset, systems=["rarr", "none"], llm="compact")
    assert plan.time is None
    assert [each.like is None for each in plan.systems] == [False, True]


def test_the_form_says_it_and_follows_what_is_chosen(
    as_researcher: Client, settings: Settings
) -> None:
    settings.RARR_LLM = "compact"
    run = measured(2, 4)
    make_dataset(slug="harbours", passage_count=60)
    page = as_researcher.get("/runs/new/?dataset=harbours").content.decode()
    assert "about 3 min</strong>, one passage after the other" in page
    assert f"run {run.pk}</a> (3.00 s a passage" in page
    assert "model calls" not in page, "the compact models cost nothing but time"
    asked = "/runs/new/outlook/?dataset=harbours&system=rarr&system=none"
    said = as_researcher.get(asked).content.decode()
    assert "60 passages × 2 systems" in said
    assert "none: no earlier run to estimate from" in said
    nothing = as_researcher.get("/runs/new/outlook/?dataset=atlantis&system=rarr")
    assert "Choose a dataset and a system" in nothing.content.decode()


def test_with_a_language_model_calls_and_cost_are_said(
    as_researcher: Client, settings: Settings
) -> None:
    settings.RARR_LLM = "openai:model"
    measured(2, 4, llm="openai:model")
    make_dataset(slug="harbours", passage_count=60)
    said = as_researcher.get("/runs/new/outlook/?dataset=harbours&system=rarr").content.decode()
    assert "180 model calls, cost 30.00, by" in said


def test_only_researchers_ask(client: Client, annotator: User) -> None:
    client.force_login(annotator)
    assert client.get("/runs/new/outlook/").status_code == 404
