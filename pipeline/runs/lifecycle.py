"""The life of a run: pause, resume, cancel, retry, finish, and how far it is.

Every change is one conditional UPDATE, so saying it twice, or from two pages at once, does no
harm. Sending work to the queue is `runs.start`'s; revising a passage, `runs.execution`'s.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Avg, Count, Exists, F, StdDev, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from pipeline.metrics.attribution import f1_ap_of_means
from pipeline.metrics.inference import (
    Estimate,
    mean_estimate,
    mean_estimate_of_sums,
    rate_estimate,
    share_estimate,
)
from pipeline.models import Revision, Run
from pipeline.runs.failures import FIRST, failure_advice, failure_words, stop_reason

FAILURES_SHOWN = 3
"""Of each reason, on the page of a run."""

UNFINISHED = (Revision.State.QUEUED, Revision.State.RUNNING)


def started_together(run: Run) -> list[Run]:
    """The run and those that were started with it, the first of them first; none for one alone."""
    if run.group is None:
        return []
    runs = list(Run.objects.filter(group=run.group).select_related("corpus").order_by("pk"))
    return runs if len(runs) > 1 else []


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


def requeue_failed(run: Run, *, failure: str | None = None) -> int:
    """Make the failed passages of a run wait again, unless it is cancelled; how many.

    `failure` names the error of those that are meant; None means all. A finished run goes on, a
    paused one stays paused. Use `start.retry_failed`, which also sends them.
    """
    with transaction.atomic():
        # Locked, or `finish_if_over` could end the run on what it saw before.
        locked = Run.objects.select_for_update().filter(pk=run.pk)
        if not locked.exclude(state=Run.State.CANCELLED).exists():
            return 0
        failed = Revision.objects.filter(run=run, state=Revision.State.FAILED)
        if failure is not None:
            failed = failed.filter(failure=failure)
        count = failed.update(
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

RECENT = 200
"""Passages that the rate is taken from, at most."""
WINDOWS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15))
"""The rate is of the shortest of these times in which enough passages ended."""
ENOUGH = 20


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
    rate: Estimate | None = None
    """Passages ended a second, lately; None while too few ended to tell."""
    rate_over: timedelta | None = None
    """The time that the rate is of."""

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
        """The part that ended, 0.0 to 1.0."""
        return self.ended / self.total if self.total else 0.0

    @property
    def percent(self) -> int:
        # Rounded down: 100 % is said only when nothing is left.
        return int(100 * self.share)

    @property
    def time_left(self) -> timedelta | None:
        """How long the rest will take at the present rate; None where nobody can tell."""
        return self._at(self.rate.value) if self.rate else None

    @property
    def time_left_range(self) -> tuple[timedelta, timedelta] | None:
        """The same at both ends of the rate's interval."""
        if not self.rate or not self.rate.low or not self.rate.high:
            return None
        return self._at(self.rate.high), self._at(self.rate.low)

    def _at(self, rate: float) -> timedelta:
        return timedelta(seconds=round((self.total - self.ended) / rate))

    @property
    def failed_share(self) -> Estimate | None:
        """Of those that ended."""
        return share_estimate(self.failed, self.ended)


def progress(run: Run) -> Progress:
    """Where the run's passages are now."""
    return progress_of([run], rate_of=run)[run.pk]


def progress_of(some: Iterable[Run], *, rate_of: Run | None = None) -> dict[int, Progress]:
    """The progress of several runs by their id, in one query; the rate only of one, in another."""
    some = list(some)
    counts: dict[int, dict[str, int]] = {run.pk: {} for run in some}
    loading: dict[int, int] = {}
    states = Revision.objects.filter(run__in=some).order_by().values_list("run_id", "state")
    for run_id, state, number, begun in states.annotate(Count("pk"), Count("started_at")):
        counts[run_id][state] = number
        if state == Revision.State.RUNNING:
            loading[run_id] = number - begun
    rates = {rate_of.pk: _rate(rate_of)} if rate_of else {}
    return {
        run.pk: Progress(
            total=run.passage_count,
            done=counts[run.pk].get(Revision.State.DONE, 0),
            failed=counts[run.pk].get(Revision.State.FAILED, 0),
            working=counts[run.pk].get(Revision.State.RUNNING, 0),
            loading=loading.get(run.pk, 0),
            waiting=counts[run.pk].get(Revision.State.QUEUED, 0),
            rate=rates.get(run.pk, _UNKNOWN)[0],
            rate_over=rates.get(run.pk, _UNKNOWN)[1],
        )
        for run in some
    }


_UNKNOWN: tuple[Estimate | None, timedelta | None] = (None, None)


def _rate(run: Run) -> tuple[Estimate | None, timedelta | None]:
    """Passages ended a second, and in which time."""
    if run.state != Run.State.RUNNING:
        return _UNKNOWN
    now = timezone.now()
    ended = Revision.objects.filter(run=run, finished_at__gt=now - WINDOWS[-1])
    times = list(ended.order_by("-finished_at").values_list("finished_at", flat=True)[:RECENT])
    for window in WINDOWS:
        recent = [time for time in times if time and time > now - window]
        if len(recent) >= ENOUGH:
            break
    if len(recent) < 2:
        return _UNKNOWN
    # The clock starts at the first of these ends: before it, models may have been loaded.
    passed = now - recent[-1]
    return rate_estimate(len(recent) - 1, passed.total_seconds()), passed


def events(run: Run) -> list[tuple[datetime, str]]:
    """What happened to the run and when, the latest first, as far as its rows tell."""
    ended = Revision.objects.filter(run=run, finished_at__isnull=False)
    marks = {1: "First passage done", math.ceil(run.passage_count / 2): "Half of the passages done"}
    place = Window(RowNumber(), order_by=["finished_at", "pk"])
    passed = ended.order_by("finished_at").annotate(place=place).filter(place__in=marks)
    found = [(run.started_at or run.created_at, "Started")]
    ends = passed.values_list("finished_at", "place")
    found += [(time, marks[number]) for time, number in ends if time]
    if run.finished_at:
        found.append((run.finished_at, run.get_state_display().capitalize()))
    return found[::-1]


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
    counted = rows.annotate(count=Window(Count("pk"))).order_by("-started_at")
    latest = counted.values_list("count", "failure", "failure_message").first()
    if latest is None:
        return None
    return PutBack(count=latest[0], reason=latest[1], message=latest[2])


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Passages that failed with one error."""

    name: str
    """The error's, as `retry_failed` takes it."""
    count: int
    first: tuple[Revision, ...]
    """Some of them, with their messages."""

    @property
    def words(self) -> str:
        return failure_words(self.name)

    @property
    def advice(self) -> str:
        return failure_advice(self.name)


def failure_reasons(run: Run) -> list[Reason]:
    """The errors that the run's failed passages ended with, most frequent first."""
    columns = ("run_id", "failure", "failure_message", "passage__external_id")
    rows = (
        Revision.objects.filter(run=run)
        .failed()
        .annotate(
            place=Window(RowNumber(), partition_by="failure", order_by="pk"),
            like_it=Window(Count("pk"), partition_by="failure"),
        )
        .filter(place__lte=FAILURES_SHOWN)
        .select_related("passage")
        .only(*columns)
        .order_by("-like_it", "failure", "pk")
    )
    by_name: dict[str, list[Revision]] = {}
    for row in rows:
        by_name.setdefault(row.failure, []).append(row)
    return [
        Reason(name=name, count=some[0].like_it, first=tuple(some))  # type: ignore[attr-defined]
        for name, some in by_name.items()
    ]
