"""Finds work that nobody is doing: dead workers' rows, lost messages, waits that are over.

Safe in several workers at once: at worst a row gets two messages, and the second finds nothing
to do. Cheap: a few counts on indexes. Every worker sweeps at its start and every
`SWEEP_SECONDS`.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from pipeline.data import corpora, upload_jobs
from pipeline.data.stored_files import forget_left_files
from pipeline.jobs import leases, queue
from pipeline.models import Revision, Run
from pipeline.models.bases import lease_is_over
from pipeline.runs import lifecycle, scoring
from pipeline.runs.failures import gave_up_message
from pipeline.trials.lifecycle import delete_old_trials
from rarrweb.sessions import SessionStore

SENT_LATELY = timedelta(seconds=5)
"""A message this young may be on its way between queue and worker: not lost yet."""


JOBS: dict[str, Callable[[], QuerySet[Any]]] = {
    queue.INDEX_CORPUS: corpora.waiting_for_index,
    queue.READ_UPLOAD: upload_jobs.waiting_uploads,
    queue.SCORE_RUN: scoring.waiting_jobs,
}
"""What the sweep looks for besides passages: by its task, which rows wait for a worker."""


def sweep() -> None:
    """Bring back whatever got lost."""
    requeue_left_behind()
    for run_id in Run.objects.filter(state=Run.State.RUNNING).values_list("pk", flat=True):
        lifecycle.finish_if_over(run_id)
    send_due()
    send_lost()
    send_lost_jobs()
    forget_left_files()
    delete_old_trials()
    SessionStore.clear_expired()


def requeue_left_behind() -> int:
    """Let passages whose worker died wait again; how many. The second death is a failure."""
    left_behind = Revision.objects.filter(lease_is_over(), state=Revision.State.RUNNING)
    counted = F("lost_leases") + 1
    left_behind.filter(lost_leases__gte=leases.MOST_LOST - 1).update(
        state=Revision.State.FAILED,
        lost_leases=counted,
        claim="",
        lease_until=None,
        finished_at=timezone.now(),
        failure="GaveUp",
        failure_message=gave_up_message(),
    )
    return left_behind.update(
        state=Revision.State.QUEUED, claim="", lease_until=None, sent_at=None, lost_leases=counted
    )


def send_due() -> None:
    """Send passages that no message speaks of: new, put back, or done waiting.

    Not while a batch still waits in the queue: its last message sends the next one.
    """
    length = _waiting_messages()
    if length is None or length >= queue.BATCH:
        return
    unsent = Revision.objects.claimable().filter(state=Revision.State.QUEUED, sent_at=None)
    for run_id in list(unsent.order_by().values_list("run_id", flat=True).distinct()):
        queue.send_unsent(run_id)


def send_lost() -> int:
    """Send again what the queue has forgotten: the rows that wait beyond the messages there are.

    Comparing the two numbers, instead of sending all again, keeps the queue from growing when
    a run simply takes long.
    """
    length = _waiting_messages()
    if length is None:
        return 0
    now = timezone.now()
    # One that was sent in the future was sent before the clock was set back.
    long_sent = Q(sent_at__lt=now - SENT_LATELY) | Q(sent_at__gt=now + SENT_LATELY)
    sent = Revision.objects.claimable().filter(long_sent, state=Revision.State.QUEUED)
    lost = sent.count() - length
    return queue.send_again(sent.order_by("sent_at", "pk")[:lost]) if lost > 0 else 0


def _waiting_messages() -> int | None:
    """How many messages about passages wait; None where the broker cannot be reached."""
    tasks = (queue.REVISE_PASSAGE, queue.REVISE_TRIAL)
    lengths = [queue.queue_length(queue.QUEUES[task]) for task in tasks]
    known = [length for length in lengths if length is not None]
    return sum(known) if len(known) == len(lengths) else None


def send_lost_jobs() -> None:
    """Send again the long jobs that wait while their queue is empty."""
    for task, waiting in JOBS.items():
        ids = list(waiting().values_list("pk", flat=True))
        if ids and queue.queue_length(queue.QUEUES[task]) == 0:
            queue.send(task, ids)
