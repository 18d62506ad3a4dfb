"""A run's budget for language models, and counts of their replies."""

from collections.abc import Mapping

from django.db import transaction
from django.db.models import F

from pipeline.backends.budgets import Budget, BudgetSpent, Spent
from pipeline.backends.readings import ReplyCounter, ReplyCounts
from pipeline.data.staging import Confirm
from pipeline.engine.configuration import BUDGETS
from pipeline.models import Run
from pipeline.rarr.serialization import from_plain, to_plain


class RunLedger:
    """A `BudgetLedger` in the run's row, shared by all workers.

    `confirm` is called before spending and raises if the lease is lost.
    """

    def __init__(self, run: Run, *, confirm: Confirm = lambda: None) -> None:
        self._confirm = confirm
        self._run_id = run.pk
        self._budget = budget_of(run)

    def reserve(self, calls: int) -> None:
        """Reserve calls in one UPDATE, or raise `BudgetSpent`."""
        self._confirm()
        if self._take(calls):
            return
        run = Run.objects.get(pk=self._run_id)
        # The budget may have been raised since this passage began.
        self._budget = budget_of(run)
        if refusal := self._budget.refusal(spent_by(run), calls=calls):
            raise BudgetSpent(refusal)
        if not self._take(calls):
            raise BudgetSpent("The budget was used up by other passages a moment ago.")

    def record_usage(self, *, calls: int, tokens: int, cost: float) -> None:
        Run.objects.filter(pk=self._run_id).update(
            calls_spent=F("calls_spent") + calls,
            tokens_spent=F("tokens_spent") + tokens,
            cost_spent=F("cost_spent") + cost,
        )

    def _take(self, calls: int) -> bool:
        affordable = Run.objects.filter(pk=self._run_id)
        if self._budget.calls:
            affordable = affordable.filter(calls_spent__lte=self._budget.calls - calls)
        if self._budget.tokens:
            affordable = affordable.filter(tokens_spent__lt=self._budget.tokens)
        if self._budget.cost:
            affordable = affordable.filter(cost_spent__lt=self._budget.cost)
        return affordable.update(calls_spent=F("calls_spent") + calls) == 1


def budget_of(run: Run) -> Budget:
    return Budget(
        calls=run.config.get("budget_calls", 0),
        tokens=run.config.get("budget_tokens", 0),
        cost=run.config.get("budget_cost", 0.0),
    )


def limits_of(run: Run) -> dict[str, float]:
    """Return the limits by name of `BUDGETS`."""
    return {name: run.config.get(name, 0) for name in BUDGETS}


def spent_by(run: Run) -> Spent:
    return Spent(calls=run.calls_spent, tokens=run.tokens_spent, cost=run.cost_spent)


def add_replies(run: Run, counter: ReplyCounter) -> None:
    if not counter.by_step:
        return
    with transaction.atomic():
        # Locked and read again, because other workers add theirs.
        locked = Run.objects.select_for_update().only("replies").get(pk=run.pk)
        total = ReplyCounter(reply_counts(locked))
        for step, counts in counter.by_step.items():
            total.add(step, counts)
        locked.replies = to_plain(total.by_step)
        locked.save(update_fields=["replies"])


def reply_counts(run: Run) -> Mapping[str, ReplyCounts]:
    """Return the counts by step over all attempts, without a query."""
    return {step: from_plain(ReplyCounts, plain) for step, plain in run.replies.items()}
