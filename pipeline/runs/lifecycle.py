"""The life of a run, by idempotent conditional UPDATEs; `runs.start` queues the work."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction
from django.db.models import Exists
from django.utils import timezone

from pipeline.models import Revision, Run
from pipeline.models.bases import FREE
from pipeline.runs.failures import EARLY, stop_reason

UNFINISHED = (Revision.State.QUEUED, Revision.State.RUNNING)


def started_together(run: Run) -> list[Run]:
    if run.group is None:
        return []
    runs = list(Run.objects.filter(group=run.group).select_related("corpus").order_by("pk"))
    return runs if len(runs) > 1 else []


def short_names(runs: Iterable[Run]) -> dict[int, str]:
    """Return system by run id, with number and dataset only if needed."""
    known = {run.pk: run for run in runs}
    same = Counter((run.system, run.dataset_id) for run in known.values())
    is_one_dataset = len({run.dataset_id for run in known.values()}) == 1
    names = {}
    for key, run in known.items():
        names[key] = run.system
        if same[run.system, run.dataset_id] > 1:
            names[key] += f", run {key}"
        if not is_one_dataset:
            names[key] += f", {run.dataset.name}"
    return names


def pause(run: Run, *, reason: str = "") -> bool:
    """Start no further passages; False if the run was not running.

    `reason` explains a pause without a user.
    """
    return _move(run, Run.State.RUNNING, to=Run.State.PAUSED, pause_reason=reason)


def pause_where_many_fail(revision: Revision) -> bool:
    """Pause the run of a failed passage if `failures.stop_reason` says so."""
    over = [Revision.State.DONE, Revision.State.FAILED]
    ended = Revision.objects.filter(run=revision.run_id, state__in=over)
    # Of several workers on the first passages, the last to end sees them all.
    columns = ended.values_list("pk", "failure", "failure_message")
    first = list(columns.order_by("finished_at", "pk")[:EARLY])
    keys = [pk for pk, _, _ in first]
    if revision.pk not in keys:
        return False
    failures = [(name, message) for _, name, message in first]
    reason = stop_reason(failures, index=keys.index(revision.pk))
    return bool(reason) and pause(revision.run, reason=reason)


def resume(run: Run, *, config: dict[str, Any] | None = None) -> bool:
    """Continue a paused run; False if it was not paused. Use `start.resume_run`."""
    changed = {} if config is None else {"config": config}
    if not _move(run, Run.State.PAUSED, to=Run.State.RUNNING, pause_reason="", **changed):
        return False
    # Workers dropped the messages of the paused run.
    Revision.objects.filter(run=run, state=Revision.State.QUEUED).update(sent_at=None)
    finish_if_over(run.pk)
    return True


def cancel(run: Run) -> bool:
    """End the run, keeping its revisions; False if it was over."""
    stopped = Run.objects.filter(pk=run.pk, state__in=[Run.State.RUNNING, Run.State.PAUSED])
    return stopped.update(state=Run.State.CANCELLED, finished_at=timezone.now()) == 1


def requeue_failed(run: Run, *, failure: str | None = None) -> int:
    """Let failed passages wait again; return how many. Use `start.retry_failed`.

    A cancelled run is not changed, a finished one goes on, a paused one stays paused.
    """
    with transaction.atomic():
        # Without a lock, `finish_if_over` could end the run at the same time.
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
            not_before=None,
            sent_at=None,
            finished_at=None,
            failure="",
            failure_message="",
            result={},
            **FREE,
        )
        if count:
            finished = Run.objects.filter(pk=run.pk, state=Run.State.FINISHED)
            finished.update(state=Run.State.RUNNING, finished_at=None)
    return count


def finish_if_over(run_id: int) -> bool:
    """Finish a running run if no passage waits or is in work."""
    unfinished = Revision.objects.filter(run_id=run_id, state__in=UNFINISHED)
    if unfinished.exists():
        return False
    with transaction.atomic():
        # The lock makes the check see what `requeue_failed` has just committed.
        list(Run.objects.select_for_update().filter(pk=run_id).values_list("pk"))
        return (
            Run.objects.filter(~Exists(unfinished), pk=run_id, state=Run.State.RUNNING).update(
                state=Run.State.FINISHED, finished_at=timezone.now()
            )
            == 1
        )


def note_models(run: Run, loaded: Mapping[str, str]) -> None:
    """Add the commits of the run's models to its versions, in order."""

    def without_known(versions: Mapping[str, str]) -> dict[str, str]:
        return {
            name: "; ".join(filter(None, (versions.get(name), revision)))
            for name, revision in loaded.items()
            if revision not in versions.get(name, "").split("; ")
        }

    if not without_known(run.versions):
        return
    with transaction.atomic():
        # Locked and read again, because other workers add theirs.
        locked = Run.objects.select_for_update().get(pk=run.pk)
        locked.versions |= without_known(locked.versions)
        locked.save(update_fields=["versions"])


def _move(run: Run, state: str, *, to: str, **values: Any) -> bool:
    return Run.objects.filter(pk=run.pk, state=state).update(state=to, **values) == 1
