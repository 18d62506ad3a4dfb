"""What a run may spend on language models and has spent, and what a passage takes on average."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.backends.budgets import Budget, Spent
from pipeline.backends.calls import Call, Totals, totals
from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.models import Revision, Run
from pipeline.runs.budget import budget_of, spent_by

MOST_PASSAGES = 5_000
"""Whose calls are added up when a page is opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What was spent in all, failed tries too, beside its limits."""

    spent: Spent
    budget: Budget

    @property
    def is_shown(self) -> bool:
        """A run by the compact models spends nothing, and says nothing."""
        return bool(self.budget or self.spent.calls)

    @property
    def has_cost(self) -> bool:
        return bool(self.budget.cost or self.spent.cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageCosts:
    """Means over the revised passages, each with its n and 95 % interval; None for none."""

    seconds: Estimate | None
    """By the clock, with what a passage waited for others beside it."""
    calls: Estimate | None
    """Of a language model; answers that were known already are not among them."""
    known: Estimate | None
    """Answers that were known already."""
    tokens: Estimate | None
    cost: Estimate | None
    """None where nobody said what a token costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCosts:
    """What the calls of a language model took by their sub-tasks, failed tries too."""

    by_step: Mapping[str, Totals]
    """In the order in which the sub-tasks were first asked."""
    passages: int
    """How many were looked at."""
    is_part: bool
    """Whether the run has more of them."""


def step_costs(run: Run) -> StepCosts:
    """The calls of a run's passages, of the first `MOST_PASSAGES` in a large one."""
    rows = Revision.objects.filter(run=run).order_by("pk").values_list("calls", flat=True)
    by_step: dict[str, list[Call]] = {}
    passages = 0
    for calls in rows[:MOST_PASSAGES].iterator(chunk_size=200):
        passages += 1
        for each in calls:
            by_step.setdefault(str(each.get("step", "")), []).append(_counted(each))
    return StepCosts(
        by_step={step: totals(calls) for step, calls in by_step.items()},
        passages=passages,
        is_part=passages == MOST_PASSAGES and rows.count() > passages,
    )


def _counted(plain: Mapping[str, Any]) -> Call:
    """The call without its texts, which may be long. Read as it is: there may be many."""
    names = ("requests", "input_tokens", "output_tokens", "cost")
    return Call(**{name: plain[name] for name in names if name in plain})


def standing(run: Run) -> Standing:
    """Where the run's spending stands; asks the database nothing."""
    return Standing(spent=spent_by(run), budget=budget_of(run))


def passage_costs(run: Run) -> PassageCosts | None:
    """What a passage of the run took; None before the first is revised."""
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
