"""Progress of a run: states of its passages, rate, failures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Any

from django.db.models import Count, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from pipeline.metrics.inference import Estimate, rate_estimate
from pipeline.models import Revision, Run
from pipeline.runs.failures import failure_advice, failure_words

RECENT = 200
"""The most passages for the rate."""
WINDOWS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15))
"""The rate is of the shortest window with `ENOUGH` ended passages."""
ENOUGH = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Passages of a run by state, and their rate."""

    total: int
    done: int = 0
    failed: int = 0
    working: int = 0
    loading: int = 0
    """Those of `working` that wait for models to load."""
    waiting: int = 0
    rate: Estimate | None = None
    """Recently ended passages per second; None for too few."""
    rate_over: timedelta | None = None

    @property
    def ended(self) -> int:
        return self.done + self.failed

    @property
    def being_revised(self) -> int:
        return self.working - self.loading

    @property
    def begun(self) -> int:
        return self.ended + self.working

    @property
    def share(self) -> float:
        """The share that ended, 0.0 to 1.0."""
        return self.ended / self.total if self.total else 0.0

    @property
    def percent(self) -> int:
        return int(100 * self.share)  # rounded down: 100 only when nothing is left

    @property
    def time_left(self) -> timedelta | None:
        """The time for the rest at the current rate, if known."""
        return self._at(self.rate.value) if self.rate else None

    @property
    def time_left_range(self) -> tuple[timedelta, timedelta] | None:
        """The times at both ends of the rate's interval."""
        if not self.rate or not self.rate.low or not self.rate.high:
            return None
        return self._at(self.rate.high), self._at(self.rate.low)

    def _at(self, rate: float) -> timedelta:
        return timedelta(seconds=round((self.total - self.ended) / rate))


def run_progress(run: Run) -> Progress:
    return progress_of([run], rate_of=run)[run.pk]


def progress_of(some: Iterable[Run], *, rate_of: Run | None = None) -> dict[int, Progress]:
    """Progress by run id, in one query; the rate of one run, in another."""
    some = list(some)
    counts: dict[int, dict[str, int]] = {run.pk: {} for run in some}
    loading: dict[int, int] = {}
    states = Revision.objects.filter(run__in=some).order_by().values_list("run_id", "state")
    # An index covers all but running rows.
    begun = Count("started_at", filter=Q(state=Revision.State.RUNNING))
    for run_id, state, number, started in states.annotate(Count("pk"), begun=begun):
        counts[run_id][state] = number
        if state == Revision.State.RUNNING:
            loading[run_id] = number - started
    return {
        run.pk: Progress(
            total=run.passage_count,
            done=counts[run.pk].get(Revision.State.DONE, 0),
            failed=counts[run.pk].get(Revision.State.FAILED, 0),
            working=counts[run.pk].get(Revision.State.RUNNING, 0),
            loading=loading.get(run.pk, 0),
            waiting=counts[run.pk].get(Revision.State.QUEUED, 0),
            **(_rate(rate_of) if rate_of and rate_of.pk == run.pk else {}),
        )
        for run in some
    }


def _rate(run: Run) -> dict[str, Any]:
    """`Progress.rate` and `rate_over`; empty for too few passages."""
    if run.state != Run.State.RUNNING:
        return {}
    now = timezone.now()
    ended = Revision.objects.filter(run=run, finished_at__gt=now - WINDOWS[-1])
    times = list(ended.order_by("-finished_at").values_list("finished_at", flat=True)[:RECENT])
    for window in WINDOWS:
        recent = [time for time in times if time and time > now - window]
        if len(recent) >= ENOUGH:
            break
    if len(recent) < 2:
        return {}
    # Measured from the first of these ends, as models may have loaded before.
    passed = now - recent[-1]
    rate = rate_estimate(len(recent) - 1, passed.total_seconds())
    return {"rate": rate, "rate_over": passed}


def seconds_per_passage(revisions: QuerySet[Revision]) -> float | None:
    """Return the time in which one of the latest revisions ended on average, if any did."""
    done = revisions.filter(state=Revision.State.DONE).order_by("-pk")
    times = done.values_list("started_at", "finished_at")[:RECENT]
    spans = sorted((start, end) for start, end in times if start and end)
    if not spans:
        return None
    total, until = timedelta(), spans[0][0]
    for start, end in spans:  # workers may revise several at once
        begun = max(start, until)
        total += max(end - begun, timedelta())
        until = max(end, begun)
    return total.total_seconds() / len(spans)


def retrying_passages(run: Run) -> Mapping[str, Any] | None:
    """Count the passages that wait after a transient error, with the latest failure; or None."""
    rows = Revision.objects.filter(
        run=run, state=Revision.State.QUEUED, not_before__gt=timezone.now()
    )
    counted = rows.annotate(count=Window(Count("pk"))).order_by("-started_at")
    return counted.values("count", "failure", "failure_message").first()


MAX_FAILURES = 3
"""Per reason, on a run's page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureReason:
    """Passages that failed with one error."""

    name: str
    """That of the error, for `retry_failed`."""
    count: int
    first: tuple[Revision, ...]
    """At most `MAX_FAILURES`."""

    @property
    def words(self) -> str:
        return failure_words(self.name)

    @property
    def advice(self) -> str:
        return failure_advice(self.name)


def failure_reasons(run: Run) -> list[FailureReason]:
    """The errors of the run's failed passages, most frequent first."""
    rows = (
        Revision.objects.filter(run=run)
        .failed()
        .annotate(
            number=Window(RowNumber(), partition_by="failure", order_by="pk"),
            count=Window(Count("pk"), partition_by="failure"),
        )
        .filter(number__lte=MAX_FAILURES)
        .select_related("passage")
        .only(
            *("run_id", "failure", "failure_message", "original_text", "context"),
            "passage__external_id",
        )
        .order_by("-count", "failure", "pk")
    )
    return [
        FailureReason(name=name, count=some[0].count, first=some)  # type: ignore[attr-defined]
        for name, together in groupby(rows, key=lambda row: row.failure)
        for some in [tuple(together)]
    ]
