"""The budget and costs of a run's language models, and means per passage."""

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.backends.budgets import Budget, Spent
from pipeline.backends.calls import Call, Totals, totals
from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.models import Revision, Run
from pipeline.runs.budget import budget_of, spent_by

MOST_PASSAGES = 5_000
"""The most passages whose calls a page adds up."""
_COUNTED = ("requests", "input_tokens", "output_tokens", "cost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Everything spent, failed attempts included, and the budget."""

    spent: Spent
    budget: Budget

    @property
    def has_spending(self) -> bool:
        """False for a run by the compact models, which spends nothing."""
        return bool(self.budget or self.spent.calls)

    @property
    def has_cost(self) -> bool:
        return bool(self.budget.cost or self.spent.cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageCosts:
    """Means over the revised passages; None where no passage has the figure."""

    seconds: Estimate | None
    """Wall-clock time, including waiting for other passages."""
    calls: Estimate | None
    """Model calls without cached answers."""
    known: Estimate | None
    """Cached answers."""
    tokens: Estimate | None
    cost: Estimate | None
    """None without token prices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCosts:
    """Costs of model calls by sub-task, failed attempts included."""

    by_step: Mapping[str, Totals]
    """In the order of the first calls."""
    passages: int
    is_part: bool
    """The run has more passages."""


def step_costs(run: Run) -> StepCosts:
    """Add up the calls of a run's passages, at most `MOST_PASSAGES`."""
    rows = Revision.objects.filter(run=run).order_by("pk").values_list("calls", flat=True)
    by_step: dict[str, list[Call]] = {}
    passages = 0
    for calls in rows[:MOST_PASSAGES].iterator(chunk_size=200):
        passages += 1
        for each in calls:
            counted = {name: each[name] for name in _COUNTED if name in each}
            by_step.setdefault(str(each.get("step", "")), []).append(Call(**counted))
    return StepCosts(
        by_step={step: totals(calls) for step, calls in by_step.items()},
        passages=passages,
        is_part=passages == MOST_PASSAGES and rows.count() > passages,
    )


def spending(run: Run) -> Spending:
    return Spending(spent=spent_by(run), budget=budget_of(run))


def passage_costs(run: Run) -> PassageCosts | None:
    """Compute the means; None before the first passage is revised."""
    done = Revision.objects.filter(run=run, state=Revision.State.DONE).order_by()
    rows = list(done.values_list("usage", flat=True))
    if not rows:
        return None

    def mean(*names: str) -> Estimate | None:
        sums = [[row[name] for name in names if row.get(name) is not None] for row in rows]
        return ratio_estimate([sum(values) for values in sums if values], lowest=0)

    return PassageCosts(
        seconds=mean("seconds"),
        calls=mean("model_calls"),
        known=mean("cached_calls"),
        tokens=mean("input_tokens", "output_tokens"),
        cost=mean("cost"),
    )
