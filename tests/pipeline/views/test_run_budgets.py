"""Budgets and costs on the pages of a run."""

import re
from typing import Any

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from pipeline.backends.budgets import Budget
from pipeline.engine.configuration import RunConfig
from pipeline.models import Revision, Run
from pipeline.runs import lifecycle
from pipeline.runs.budget import budget_of
from tests.support.factories import make_revision, make_run
from tests.support.pages import url_of

pytestmark = pytest.mark.django_db

Form = dict[str, object]
SPENT = "The budget of 10 calls is used up: 10 were made."


@pytest.fixture
def paused() -> Run:
    config = RunConfig().with_budget(Budget(calls=10)).to_plain()
    run = make_run(config=config, passage_count=2, calls_spent=10, tokens_spent=1234)
    make_revision(run)
    lifecycle.pause(run, reason=SPENT)
    run.refresh_from_db()
    return run


# --- A new run ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("models", "version", "words"),
    [
        (["openai:some-model", "compact"], "language model", "model some-model, api chat"),
        (["compact", "openai:judge"], "judge", "model judge, api chat, samples 5"),
    ],
)
def test_a_run_with_a_language_model_starts_with_its_budget(
    as_researcher: Client, wanted: Form, settings: Any, models: list[str], version: str, words: str
) -> None:
    assertNotContains(as_researcher.get(url_of("new-run")), "budget_calls")  # of compact models
    settings.RARR_LLM, settings.RARR_ENTAILMENT = models
    assertContains(as_researcher.get(url_of("new-run")), 'name="budget_calls"')
    as_researcher.post(url_of("new-run"), wanted | {"budget_calls": "500", "budget_tokens": ""})
    run = Run.objects.get()
    assert budget_of(run) == Budget(calls=500)
    assert run.versions[version] == f"backend openai, base_url https://api.openai.com/v1, {words}"
    assert ("language model" in run.versions) == (models[0] != "compact")
    assert run.config["prompts"]


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("budget_calls", "-3", "greater than or equal to 0"),
        ("budget_tokens", "many", "Enter a whole number"),
        ("budget_cost", "5", "RARR_LLM_PRICE_INPUT"),
    ],
)
def test_a_wrong_limit_is_named_next_to_its_field(
    as_researcher: Client, wanted: Form, settings: Any, field: str, value: str, expected: str
) -> None:
    settings.RARR_LLM = "openai:some-model"
    response = as_researcher.post(url_of("new-run"), wanted | {field: value})
    assert response.status_code == 200
    assert any(expected in error for error in response.context["form"].errors[field])
    assert not Run.objects.exists()


# --- One run -----------------------------------------------------------------------------


def test_a_spent_budget_is_explained_and_raised(as_researcher: Client, paused: Run) -> None:
    response = as_researcher.get(url_of("run", paused.pk))
    for text in (SPENT, "paused automatically", "model calls, of 10", "1,234", 'value="10"'):
        assertContains(response, text)
    as_researcher.post(
        url_of("resume-run", paused.pk), {"budget_calls": "50", "budget_tokens": "0"}
    )
    paused.refresh_from_db()
    assert (paused.state, paused.pause_reason) == (Run.State.RUNNING, "")
    assert budget_of(paused) == Budget(calls=50)
    assertNotContains(as_researcher.get(url_of("run", paused.pk)), "paused automatically")


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"budget_calls": "10"}, "Write a higher limit, or 0 for none."),
        ({}, "Write a higher limit, or 0 for none."),
        ({"budget_calls": "-1"}, "greater than or equal to 0"),
    ],
)
def test_a_budget_that_is_used_up_still_does_not_let_it_go_on(
    as_researcher: Client, paused: Run, sent: dict[str, str], expected: str
) -> None:
    response = as_researcher.post(url_of("resume-run", paused.pk), sent, follow=True)
    assertContains(response, expected)
    paused.refresh_from_db()
    assert paused.state == Run.State.PAUSED
    assert budget_of(paused) == Budget(calls=10)


def test_a_run_shows_what_a_passage_took_with_n_and_interval(as_researcher: Client) -> None:
    run = make_run(state=Run.State.FINISHED, passage_count=2, config=RunConfig().to_plain())
    tokens = {"input_tokens": 900, "output_tokens": 100, "cost": 0.25}
    for seconds, calls in ((1.0, 6), (3.0, 10)):
        usage = {"seconds": seconds, "model_calls": calls, "cached_calls": 2, **tokens}
        make_revision(run, state=Revision.State.DONE, usage=usage)
    response = as_researcher.get(url_of("run-cost", run.pk))
    for text in ("2.0 s", "8.0", "1,000", "0.25", "And 2.0 answers from cache", "n&nbsp;=&nbsp;2"):
        assertContains(response, text)


def test_a_run_shows_what_its_calls_were_for(
    as_researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(state=Run.State.FINISHED, passage_count=2, config=RunConfig().to_plain())
    calls = [
        {"step": "agreement", "input_tokens": 1000, "output_tokens": 20, "cost": 0.5},
        {"step": "entailment", "input_tokens": 700, "output_tokens": 4, "cost": 0.25},
        {"step": "entailment", "requests": 0, "attempts": 0},
    ]
    for state in (Revision.State.DONE, Revision.State.FAILED):
        make_revision(run, state=state, calls=calls)
    rows = rows_of(as_researcher.get(url_of("run-cost", run.pk)))
    assert rows == [
        ["agreement", "2", "0", "2,000", "40", "1.00"],
        ["entailment", "2", "2", "1,400", "8", "0.50"],
    ]
    monkeypatch.setattr("pipeline.figures.costs.MOST_PASSAGES", 1)
    response = as_researcher.get(url_of("run-cost", run.pk))
    assertContains(response, "in the first 1 passage,")
    assert rows_of(response)[0][:2] == ["agreement", "1"]


def rows_of(response: Any) -> list[list[str]]:
    """The rows of the table of calls, as text."""
    table = response.content.decode().partition("What the calls were for")[2]
    body = table.partition("<tbody>")[2].partition("</tbody>")[0]
    return [re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row) for row in body.split("</tr>")[:-1]]


# --- One passage -------------------------------------------------------------------------


def test_a_passage_shows_each_of_its_calls_that_can_be_read(as_researcher: Client) -> None:
    hostile = "<script>alert(1)</script>"
    revision = make_revision(
        make_run(),
        state=Revision.State.FAILED,
        failure="TransientError",
        calls=[
            {"step": "queries", "input_tokens": 1234, "seconds": 0.5, "cost": 0.02},
            {"step": "edit", "requests": 0, "attempts": 0},
            {"step": "agreement", "error": hostile, "prompt": hostile, "texts": [hostile]},
        ],
    )
    response = as_researcher.get(url_of("revision", revision.pk))
    for text in ("2 made, 1 from cache", "1,234", "0.0200", "from cache"):
        assertContains(response, text)
    assertContains(response, "&lt;script&gt;alert(1)", count=3)
    assertNotContains(response, hostile)
    Revision.objects.update(calls=[{"colour": 1}, 7])
    assertNotContains(as_researcher.get(url_of("revision", revision.pk)), 'id="calls"')
