"""The life of a run: pause, resume, cancel, retry, finish, and how far it is.

Every change is one conditional UPDATE, so saying it twice, or from two pages at once, does no
harm. Sending work to the queue is `runs.start`'s; revising a passage, `runs.execution`'s.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Avg, Count, Exists, F, StdDev
from django.utils import timezone

from pipeline.metrics.attribution import f1_ap_of_means
from pipeline.metrics.inference import (
    Estimate,
    mean_estimate,
    mean_estimate_of_sums,
    share_estimate,
)
from pipeline.models import Revision, Run
from pipeline.runs.failures import FIRST, failure_words, stop_reason

UNFINISHED = (Revision.State.QUEUED, Revision.State.RUNNING)


def pause(run: Run, *, reason: str = "") -> bool:
    """Start no further passages; those in work end. False when the run was not running.

    `reason` says why the run paused by itself, in plain sentences.
    """
    return _move(run, Run.State.RUNNING, to=Run.State.PAUSED, pause_reason=reason)


def pause_where_none_succeeds(revision: Revision) -> bool:
    """Pause the run of a passage that has just ended, where it is one of the first and none of
    them could be revised because of what the model answers.

    Later passages pause nothing, so a run that a person resumes all the same stays running.
    """
    ended = Revision.objects.filter(
        run=revision.run_id, state__in=[Revision.State.DONE, Revision.State.FAILED]
    )
    # Several workers may be at the first ones. The last of them to write its end sees them all.
    first = list(
        ended.order_by("finished_at", "pk").values_list("pk", "failure", "failure_message")[:FIRST]
    )
    reason = stop_reason([(name, message) for _, name, message in first])
    is_one = any(pk == revision.pk for pk, _, _ in first)
    return bool(reason) and is_one and pause(revision.run, reason=reason)


def resume(run: Run, *, config: dict[str, Any] | None = None) -> bool:
    """Let a paused run go on; False when it was not paused. Use `start.resume_run`.

    `config` is the run's own under another budget; nothing else of it may differ.
    """
    changed = {} if config is None else {"config": config}
    if not _move(run, Run.State.PAUSED, to=Run.State.RUNNING, pause_reason="", **changed):
        return False
    # Messages that came while the run was paused were thrown away unread.
    Revision.objects.filter(run=run, state=Revision.State.QUEUED).update(sent_at=None)
    finish_if_over(run.pk)
    return True


def cancel(run: Run) -> bool:
    """End the run for good, keeping what is done; False when it was over already."""
    stopped = Run.objects.filter(pk=run.pk, state__in=[Run.State.RUNNING, Run.State.PAUSED])
    return stopped.update(state=Run.State.CANCELLED, finished_at=timezone.now()) == 1


def requeue_failed(run: Run) -> int:
    """Make the failed passages of a run wait again, unless it is cancelled; how many.

    A finished run goes on, a paused one stays paused. Use `start.retry_failed`, which also sends
    them.
    """
    with transaction.atomic():
        # Locked, or `finish_if_over` could end the run on what it saw before.
        locked = Run.objects.select_for_update().filter(pk=run.pk)
        if not locked.exclude(state=Run.State.CANCELLED).exists():
            return 0
        count = Revision.objects.filter(run=run, state=Revision.State.FAILED).update(
            state=Revision.State.QUEUED,
            attempts=0,
            lost_leases=0,
            claim="",
            not_before=None,
            sent_at=None,
            finished_at=None,
            failure="",
            failure_message="",
            result={},
        )
        if count:
            finished = Run.objects.filter(pk=run.pk, state=Run.State.FINISHED)
            finished.update(state=Run.State.RUNNING, finished_at=None)
    return count


def finish_if_over(run_id: int) -> bool:
    """Mark a running run finished once no passage waits or is in work."""
    unfinished = Revision.objects.filter(run_id=run_id, state__in=UNFINISHED)
    if unfinished.exists():
        return False
    with transaction.atomic():
        # The lock makes the check below see whatever `requeue_failed` has just committed.
        list(Run.objects.select_for_update().filter(pk=run_id).values_list("pk"))
        return (
            Run.objects.filter(~Exists(unfinished), pk=run_id, state=Run.State.RUNNING).update(
                state=Run.State.FINISHED, finished_at=timezone.now()
            )
            == 1
        )


def note_models(run: Run, loaded: Mapping[str, str]) -> None:
    """Add to the run's versions which files its models were loaded from, once a worker knows.

    A model that was downloaded again during the run is named with all its commits, in order.
    """

    def without_known(versions: Mapping[str, str]) -> dict[str, str]:
        return {
            name: "; ".join(filter(None, (versions.get(name), revision)))
            for name, revision in loaded.items()
            if revision not in versions.get(name, "").split("; ")
        }

    if not without_known(run.versions):
        return
    with transaction.atomic():
        # Locked and read again: two workers may have something to add.
        locked = Run.objects.select_for_update().get(pk=run.pk)
        locked.versions |= without_known(locked.versions)
        locked.save(update_fields=["versions"])


def _move(run: Run, state: str, *, to: str, **values: Any) -> bool:
    return Run.objects.filter(pk=run.pk, state=state).update(state=to, **values) == 1


# --- How far it is -----------------------------------------------------------------------

RECENT = 50
"""Passages that the speed is taken from: enough to be steady, few enough to follow a change."""
RECENT_TIME = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How many of a run's passages are where, and how fast they go."""

    total: int
    done: int = 0
    failed: int = 0
    working: int = 0
    loading: int = 0
    """Of those in work, how many wait for the models of their worker's process."""
    waiting: int = 0
    per_second: float | None = None
    """Passages ended a second, lately; None while too few ended to tell."""

    @property
    def ended(self) -> int:
        return self.done + self.failed

    @property
    def being_revised(self) -> int:
        return self.working - self.loading

    @property
    def share(self) -> float:
        """The part that ended, 0.0 to 1.0."""
        return self.ended / self.total if self.total else 0.0

    @property
    def percent(self) -> int:
        # Rounded down: 100 % is said only when nothing is left.
        return int(100 * self.share)

    @property
    def time_left(self) -> timedelta | None:
        """How long the rest will take at the present speed; None where nobody can tell."""
        if not self.per_second:
            return None
        return timedelta(seconds=round((self.total - self.ended) / self.per_second))


def progress(run: Run) -> Progress:
    """Where the run's passages are now."""
    return progress_of([run])[run.pk]


def progress_of(some: Iterable[Run]) -> dict[int, Progress]:
    """The progress of several runs by their id, in one query; the speed only of one alone."""
    some = list(some)
    counts: dict[int, dict[str, int]] = {run.pk: {} for run in some}
    loading: dict[int, int] = {}
    states = Revision.objects.filter(run__in=some).order_by().values_list("run_id", "state")
    for run_id, state, number, begun in states.annotate(Count("pk"), Count("started_at")):
        counts[run_id][state] = number
        if state == Revision.State.RUNNING:
            loading[run_id] = number - begun
    return {
        run.pk: Progress(
            total=run.passage_count,
            done=counts[run.pk].get(Revision.State.DONE, 0),
            failed=counts[run.pk].get(Revision.State.FAILED, 0),
            working=counts[run.pk].get(Revision.State.RUNNING, 0),
            loading=loading.get(run.pk, 0),
            waiting=counts[run.pk].get(Revision.State.QUEUED, 0),
            per_second=_speed(run) if len(some) == 1 else None,
        )
        for run in some
    }


def _speed(run: Run) -> float | None:
    if run.state != Run.State.RUNNING:
        return None
    now = timezone.now()
    ended = Revision.objects.filter(run=run, finished_at__gt=now - RECENT_TIME)
    times = list(ended.order_by("-finished_at").values_list("finished_at", flat=True)[:RECENT])
    if len(times) < 2:
        return None
    passed: timedelta = now - times[-1]  # type: ignore[operator]  # all of these are finished
    return len(times) / max(passed.total_seconds(), 0.001)


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBack:
    """Passages that wait for another try after a transient error, and the latest reason."""

    count: int
    reason: str
    message: str


def put_back(run: Run) -> PutBack | None:
    """The passages of the run that a transient error put back; None when there are none."""
    rows = Revision.objects.filter(
        run=run, state=Revision.State.QUEUED, not_before__gt=timezone.now()
    )
    latest = rows.order_by("-started_at").values_list("failure", "failure_message").first()
    if latest is None:
        return None
    return PutBack(count=rows.count(), reason=latest[0], message=latest[1])


# --- What came out -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """A run's figures over its revised passages, each with its n and 95 % interval.

    None where no passage has the figure.
    """

    attribution_before: Estimate | None
    attribution_after: Estimate | None
    attribution_gain: Estimate | None
    """The mean of the differences, passage by passage; -1.0 to 1.0."""
    preservation: Estimate | None
    f1_ap: Estimate | None
    """Of the mean attribution after and the mean preservation, as in the paper's Table 2."""
    changed: Estimate | None


def results(run: Run) -> Results | None:
    """The run's figures so far; None before the first passage is revised."""
    columns = ("attribution_before", "attribution_after", "preservation", "is_changed")
    done = Revision.objects.filter(run=run, state=Revision.State.DONE).order_by()
    rows = list(done.values_list(*columns))
    if not rows:
        return None
    before, after, preservation, changed = zip(*rows, strict=True)
    gains = [b - a for a, b in zip(before, after, strict=True) if a is not None and b is not None]
    both = [pair for pair in zip(after, preservation, strict=True) if None not in pair]
    return Results(
        attribution_before=_mean(before),
        attribution_after=_mean(after),
        attribution_gain=mean_estimate(gains, lowest=-1, highest=1),
        preservation=_mean(preservation),
        f1_ap=f1_ap_of_means(both),
        changed=share_estimate(sum(changed), len(changed)),
    )


def _mean(values: Iterable[float | None]) -> Estimate | None:
    return mean_estimate([v for v in values if v is not None], lowest=0, highest=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Mean Attr_auto before and after of the revised passages that have both, and the gain."""

    before: float
    after: float
    gain: Estimate


def mean_attribution_of(some: Iterable[Run]) -> dict[int, Attribution]:
    """The mean attribution of several runs by their id, in one query; none for nothing to score."""
    done = Revision.objects.filter(run__in=list(some), state=Revision.State.DONE).order_by()
    scored = done.filter(attribution_before__isnull=False, attribution_after__isnull=False)
    difference = F("attribution_after") - F("attribution_before")
    sums = scored.values("run_id").annotate(
        before=Avg("attribution_before"),
        after=Avg("attribution_after"),
        n=Count("pk"),
        mean=Avg(difference),
        # Of the population: SQLite's sample deviation fails on a single row.
        spread=StdDev(difference),
    )
    rows = sums.values_list("run_id", "before", "after", "n", "mean", "spread")
    found: dict[int, Attribution] = {}
    for run_id, before, after, n, mean, spread in rows:
        deviation = spread * math.sqrt(n / (n - 1)) if n > 1 else None
        gain = mean_estimate_of_sums(n=n, mean=mean, deviation=deviation, lowest=-1, highest=1)
        found[run_id] = Attribution(before=before, after=after, gain=gain)
    return found


def failure_reasons(run: Run) -> list[tuple[str, int]]:
    """The errors that the run's failed passages ended with, in words, most frequent first."""
    failed = Revision.objects.filter(run=run).failed().order_by()
    counted = failed.values_list("failure").annotate(n=Count("pk")).order_by("-n", "failure")
    return [(failure_words(name), number) for name, number in counted]
