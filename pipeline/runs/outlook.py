"""What runs that nobody has started yet will take, by earlier runs of the same systems."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Exists, F, Max, OuterRef

from pipeline.generation.strategies import STRATEGIES
from pipeline.metrics.inference import Estimate
from pipeline.models import Dataset, Revision, Run
from pipeline.runs.costs import PassageCosts, costs_of
from rarrweb.accounts.models import User

SAMPLE = 200
"""Passages of an earlier run that a forecast reads; the form asks for one at every change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """One system over all passages of a dataset."""

    system: str
    passages: int
    like: Run | None
    """The latest run of the same system and language model; None for none."""
    costs: PassageCosts | None
    """What a passage took in it."""

    @property
    def time(self) -> timedelta | None:
        """Of all passages one after the other."""
        seconds = self._of_all(self.costs.seconds if self.costs else None)
        return None if seconds is None else timedelta(seconds=seconds)

    @property
    def calls(self) -> float | None:
        return self._of_all(self.costs.calls if self.costs else None)

    @property
    def cost(self) -> float | None:
        return self._of_all(self.costs.cost if self.costs else None)

    def _of_all(self, mean: Estimate | None) -> float | None:
        return self.passages * mean.value if mean else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Several systems over one dataset; a sum is None where a part of it is not known."""

    systems: Sequence[Outlook]
    passages: int
    questions: int | None = None
    """Passages that have a question, where a strategy is to answer them."""

    @property
    def time(self) -> timedelta | None:
        times = [each.time for each in self.systems]
        known = [each for each in times if each is not None]
        return sum(known, timedelta()) if len(known) == len(times) else None


def plan_runs(user: User, *, dataset: Dataset, systems: Sequence[str], llm: str) -> Plan:
    """What a run of each system over the dataset will take, by a sample of earlier passages."""
    done = Revision.objects.filter(state=Revision.State.DONE)
    comparable = Run.objects.visible_to(user).filter(system__in=systems, config__llm=llm)
    measured = comparable.filter(Exists(done.filter(run=OuterRef("pk"))))
    latest = measured.order_by().values("system").annotate(latest=Max("pk"))
    runs = Run.objects.filter(pk__in=[row["latest"] for row in latest])
    like = {run.system: run for run in runs.select_related("dataset")}
    counted = done.filter(run__in=like.values()).order_by().values_list("run_id")
    counts = dict(counted.annotate(Count("pk")))
    return Plan(
        systems=[
            Outlook(
                system=system,
                passages=dataset.passage_count,
                like=run,
                costs=_costs_of(run, counts.get(run.pk, 0)) if run else None,
            )
            for system in systems
            for run in [like.get(system)]
        ],
        passages=dataset.passage_count,
        questions=_questions(dataset) if STRATEGIES.keys() & set(systems) else None,
    )


def _costs_of(run: Run, done: int) -> PassageCosts | None:
    """What a passage took, by at most twice `SAMPLE` passages from all parts of the run."""
    rows = Revision.objects.filter(run=run, state=Revision.State.DONE)
    sample = rows.alias(place=F("pk") % max(done // SAMPLE, 1)).filter(place=0)
    return costs_of(list(sample.values_list("usage", flat=True)))


def _questions(dataset: Dataset) -> int:
    return dataset.passages.exclude(context__regex=r"^\s*$").count()
