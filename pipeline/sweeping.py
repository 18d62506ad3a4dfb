"""Finding work that nobody is at: dead workers' rows, lost messages, waits that are over.

Safe in several workers at once: at worst a row gets two messages, and the second finds nothing
to do. Cheap: a few counts on indexes. Every worker sweeps at its start and every
`SWEEP_SECONDS`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from pipeline import corpora, launch, revising, runs, uploads
from pipeline.models import Revision, Run

SENT_LATELY = timedelta(seconds=5)
"""A message this young may be on its way between queue and worker: not lost yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A kind of long work that is one row: which rows wait for a worker, and whom to tell."""

    task: str
    waiting: Callable[[], QuerySet]


JOBS = [
    Job(task=launch.INDEX_CORPUS, waiting=corpora.waiting_for_index),
    Job(task=launch.READ_UPLOAD, waiting=uploads.waiting_uploads),
]
"""What the sweep looks for besides passages."""


def sweep() -> None:
    """Bring back whatever got lost."""
    requeue_left_behind()
    for run_id in Run.objects.filter(state=Run.State.RUNNING).values_list("pk", flat=True):
        runs.finish_if_over(run_id)
    send_due()
    send_lost()
    send_lost_jobs()


def requeue_left_behind() -> int:
    """Let passages whose worker died wait again; how many. Too many deaths are a failure."""
    left_behind = Revision.objects.filter(
        state=Revision.State.RUNNING, lease_until__lt=timezone.now()
    )
    left_behind.filter(attempts__gte=revising.MAX_ATTEMPTS).update(
        state=Revision.State.FAILED,
        claim="",
        lease_until=None,
        finished_at=timezone.now(),
        failure="GaveUp",
        failure_message=revising.gave_up_message(revising.MAX_ATTEMPTS),
    )
    return left_behind.update(state=Revision.State.QUEUED, claim="", lease_until=None, sent_at=None)


def send_due() -> None:
    """Send passages that no message speaks of: new, put back, or done waiting.

    Not while a batch still waits in the queue: its last message sends the next one.
    """
    length = launch.queue_length(launch.QUEUES[launch.REVISE_PASSAGE])
    if length is None or length >= launch.BATCH:
        return
    unsent = Revision.objects.claimable().filter(state=Revision.State.QUEUED, sent_at=None)
    for run_id in list(unsent.order_by().values_list("run_id", flat=True).distinct()):
        launch.send_unsent(run_id)


def send_lost() -> int:
    """Send again what the queue has forgotten: the rows that wait beyond the messages there are.

    Comparing the two numbers, instead of sending all again, keeps the queue from growing when
    a run simply takes long.
    """
    length = launch.queue_length(launch.QUEUES[launch.REVISE_PASSAGE])
    if length is None:
        return 0
    sent = Revision.objects.claimable().filter(
        state=Revision.State.QUEUED, sent_at__lt=timezone.now() - SENT_LATELY
    )
    lost = sent.count() - length
    return launch.send_again(sent.order_by("sent_at", "pk")[:lost]) if lost > 0 else 0


def send_lost_jobs() -> None:
    """Send again the long jobs that wait while their queue is empty."""
    for job in JOBS:
        ids = list(job.waiting().values_list("pk", flat=True))
        if ids and launch.queue_length(launch.QUEUES[job.task]) == 0:
            launch.send(job.task, ids)
