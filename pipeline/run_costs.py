"""What a run has cost: so far in all, against its budget, and a passage on average."""

from dataclasses import dataclass

from pipeline.backends.budgets import Budget, Spent
from pipeline.metrics.inference import Estimate, mean_estimate
from pipeline.models import Revision, Run
from pipeline.run_budget import budget_of, spent_by


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
    calling: Estimate | None
    """In which its own requests to a language model were under way; None where not measured."""
    working: Estimate | None
    """Of the processor."""
    calls: Estimate | None
    """Of a language model; answers that were known already are not among them."""
    known: Estimate | None
    """Answers that were known already."""
    tokens: Estimate | None
    cost: Estimate | None
    """None where nobody said what a token costs."""


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
        return mean_estimate([sum(values) for values in sums if values], lowest=0)

    return PassageCosts(
        seconds=mean("seconds"),
        calling=mean("calling_seconds"),
        working=mean("working_seconds"),
        calls=mean("model_calls"),
        known=mean("cached_calls"),
        tokens=mean("input_tokens", "output_tokens"),
        cost=mean("cost"),
    )
