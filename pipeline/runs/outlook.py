"""What runs that nobody has started yet will take, by earlier runs of the same systems."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Exists, Max, OuterRef

from pipeline.generation.strategies import STRATEGIES
from pipeline.metrics.inference import Estimate
from pipeline.models import Dataset, Revision, Run
from pipeline.runs.costs import PassageCosts, costs_of
from rarrweb.accounts.models import User


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
    """What a run of each system over the dataset will take. Four queries at most."""
    done = Revision.objects.filter(state=Revision.State.DONE)
    comparable = Run.objects.visible_to(user).filter(system__in=systems, config__llm=llm)
    measured = comparable.filter(Exists(done.filter(run=OuterRef("pk"))))
    latest = measured.order_by().values("system").annotate(latest=Max("pk"))
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    runs = Run.objects.filter(pk__in=[row["latest"] for row in latest])
    like = {run.system: run for run in runs.select_related("dataset")}
    for system, usage in done.filter(run__in=like.values()).values_list("run__system", "usage"):
        rows[system].append(usage)
    return Plan(
        systems=[
            Outlook(
                system=system,
                passages=dataset.passage_count,
                like=like.get(system),
                costs=costs_of(rows[system]),
            )
            for system in systems
        ],
        passages=dataset.passage_count,
        questions=_questions(dataset) if STRATEGIES.keys() & set(systems) else None,
    )


def _questions(dataset: Dataset) -> int:
    return dataset.passages.exclude(context__regex=r"^\s*$").count()
