"""A run's budget: shared by its workers, raised after a pause."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pipeline.backends.budgets import Budget, BudgetSpent, Spent
from pipeline.backends.calls import Call
from pipeline.engine.configuration import RunConfig, parse_budget
from pipeline.engine.engine import Outcome
from pipeline.models import Revision, Run
from pipeline.rarr.errors import BadConfig, TransientError
from pipeline.rarr.types import Passage
from pipeline.runs import execution, start
from pipeline.runs.budget import RunLedger, budget_of, spent_by
from tests.support.factories import make_revision, make_run
from tests.support.scripted_engine import ScriptedEngine, in_capitals

pytestmark = pytest.mark.django_db


def run_with(**budget: float) -> Run:
    return make_run(config=RunConfig().with_budget(Budget(**budget)).to_plain())


class Spending:
    """An engine each of whose passages makes calls of a language model."""

    def __init__(self, *, steps: Sequence[int] = (1, 2), cost: float | None = None) -> None:
        self.steps, self.cost = steps, cost
        self.error: Exception | None = None
        self.engine = ScriptedEngine(self)

    def __call__(self, passage: Passage) -> Outcome:
        calls = []
        for count in self.steps:
            self.engine.work.ledger.reserve(count)
            self.engine.work.ledger.record_usage(
                calls=0, tokens=10 * count, cost=(self.cost or 0.0) * count
            )
            made = [Call(step="edit", input_tokens=8, output_tokens=2, cost=self.cost)] * count
            for call in made:
                self.engine.work.calls.append(call)
            calls += made
        if self.error:
            raise self.error
        outcome = in_capitals(passage)
        usage = replace(outcome.usage, model_calls=len(calls))
        return replace(outcome, usage=usage, calls=tuple(calls))


@pytest.fixture
def spending(monkeypatch: pytest.MonkeyPatch) -> Spending:
    script = Spending()
    monkeypatch.setattr(execution, "load_engine", lambda config, *, index: script.engine)
    return script


# --- The ledger ---------------------------------------------------------------------------


def test_workers_pay_from_one_ledger() -> None:
    run = run_with(calls=5)
    one, other = RunLedger(run), RunLedger(run)
    one.reserve(3)
    other.reserve(2)
    with pytest.raises(BudgetSpent, match="budget of 5 calls is used up: 5 were made"):
        one.reserve(1)
    one.record_usage(calls=-1, tokens=30, cost=0.25)
    run.refresh_from_db()
    assert spent_by(run) == Spent(calls=4, tokens=30, cost=0.25)
    other.reserve(1)
    # A budget that is raised holds for passages in work.
    Run.objects.update(config=RunConfig().with_budget(Budget(calls=6)).to_plain())
    one.reserve(1)
    with pytest.raises(BudgetSpent):
        one.reserve(1)


@pytest.mark.parametrize("budget", [{"tokens": 10}, {"cost": 0.5}])
def test_tokens_and_money_are_limits_too(budget: dict[str, float]) -> None:
    ledger = RunLedger(run_with(**budget))
    ledger.reserve(1)
    ledger.record_usage(calls=0, tokens=10, cost=0.5)
    with pytest.raises(BudgetSpent, match="is used up"):
        ledger.reserve(1)


def test_a_run_without_a_budget_is_counted_all_the_same() -> None:
    run = make_run(config={"system": "rarr"})
    assert not budget_of(run)
    RunLedger(run).reserve(1000)
    run.refresh_from_db()
    assert run.calls_spent == 1000


# --- A run -------------------------------------------------------------------------------


def test_a_run_pauses_with_its_reason_and_goes_on_with_more(spending: Spending) -> None:
    run = run_with(calls=5)
    done, half, waiting = (make_revision(run) for _ in range(3))
    for row in (done, half, waiting):
        execution.Revising().run(row.pk)
    run.refresh_from_db()
    half.refresh_from_db()
    assert run.state == Run.State.PAUSED
    assert "budget of 5 calls is used up: 4 were made" in run.pause_reason
    assert (half.state, half.attempts, half.claim) == (Revision.State.QUEUED, 0, "")
    assert half.failure == ""
    assert [call["step"] for call in half.calls] == ["edit"]
    states = Revision.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["done", "queued", "queued"]

    assert start.resume_run(run, limits={"budget_calls": 20})
    for row in (half, waiting):
        execution.Revising().run(row.pk)
    run.refresh_from_db()
    assert (run.state, run.pause_reason) == (Run.State.FINISHED, "")
    assert budget_of(run) == Budget(calls=20)
    assert RunConfig.from_plain(run.config).rarr == RunConfig().rarr
    assert run.calls_spent == 3 + 1 + 3 + 3
    half.refresh_from_db()
    assert half.usage["model_calls"] == 4, "the calls of the first try were paid, too"


def test_calls_of_a_passage_that_failed_are_stored(spending: Spending) -> None:
    revision = make_revision(run_with(), text="")
    spending.error = TransientError("later")
    execution.Revising().run(revision.pk)
    Revision.objects.update(not_before=None)
    spending.error = BadConfig("never")
    execution.Revising().run(revision.pk)
    revision.refresh_from_db()
    assert revision.state == Revision.State.FAILED
    assert len(revision.calls) == 6


def test_a_revision_keeps_its_calls_small(spending: Spending) -> None:
    spending.cost = 0.5
    revision = make_revision(run_with())
    execution.Revising().run(revision.pk)
    revision.refresh_from_db()
    call = {"step": "edit", "input_tokens": 8, "output_tokens": 2, "cost": 0.5}
    assert revision.calls == [call] * 3
    assert revision.usage["queries"] == 3


# --- How a budget is written -------------------------------------------------------------


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ({"budget_calls": "many"}, "budget_calls is many: write a whole number"),
        ({"budget_calls": "1.5"}, "budget_calls is 1.5: write a whole number"),
        ({"budget_tokens": "-1"}, "budget_tokens is -1: write 0"),
        ({"budget_cost": "nan"}, "budget_cost is nan: write 0"),
        ({"budget_cost": "5"}, "RARR_LLM_PRICE_INPUT"),
    ],
)
def test_a_budget_that_cannot_be_is_refused(overrides: dict[str, str], expected: str) -> None:
    with pytest.raises(BadConfig, match=expected):
        RunConfig.from_settings(overrides=overrides)


def test_money_is_a_limit_where_prices_are_known(settings: object) -> None:
    settings.RARR_LLM_PRICE_OUTPUT = 8.0  # type: ignore[attr-defined]
    assert parse_budget({"budget_cost": "2.5"}) == Budget(cost=2.5)
