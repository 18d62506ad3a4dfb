"""The budget and costs of a run's language models, and means per passage."""

from typing import Any

from pipeline.backends.calls import Call, totals
from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.models import Revision, Run
from pipeline.runs.budget import budget_of, spent_by

MOST_PASSAGES = 5_000
"""The most passages whose calls a page adds up."""
_COUNTED = ("requests", "input_tokens", "output_tokens", "cost")


def step_costs(run: Run) -> dict[str, Any]:
    """Add up the calls of a run's passages, at most `MOST_PASSAGES`, failed attempts included.

    `by_step` has the totals of each sub-task, in the order of the first calls.
    """
    rows = Revision.objects.filter(run=run).order_by("pk").values_list("calls", flat=True)
    by_step: dict[str, list[Call]] = {}
    passages = 0
    for calls in rows[:MOST_PASSAGES].iterator(chunk_size=200):
        passages += 1
        for each in calls:
            counted = {name: each[name] for name in _COUNTED if name in each}
            by_step.setdefault(str(each.get("step", "")), []).append(Call(**counted))
    return {
        "by_step": {step: totals(calls) for step, calls in by_step.items()},
        "passages": passages,
        "is_part": passages == MOST_PASSAGES and rows.count() > passages,
    }


def spending(run: Run) -> dict[str, Any]:
    """Return what all attempts spent, and the budget."""
    return {"spent": spent_by(run), "budget": budget_of(run)}


def passage_costs(run: Run) -> dict[str, Estimate | None]:
    """Compute means over the revised passages that have a figure; {} if none is revised."""
    done = Revision.objects.filter(run=run, state=Revision.State.DONE).order_by()
    rows = list(done.values_list("usage", flat=True))
    if not rows:
        return {}

    def mean(*names: str) -> Estimate | None:
        sums = [[row[name] for name in names if row.get(name) is not None] for row in rows]
        return ratio_estimate([sum(values) for values in sums if values], lowest=0)

    return {
        "seconds": mean("seconds"),  # also those of waiting for other passages
        "calls": mean("model_calls"),
        "known": mean("cached_calls"),
        "tokens": mean("input_tokens", "output_tokens"),
        "cost": mean("cost"),
    }
