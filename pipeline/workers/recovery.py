"""Recovery of rows of dead workers and lost messages, by each worker."""

from typing import Any

from pipeline.data.corpora import Indexing
from pipeline.data.stored_files import forget_left_files
from pipeline.data.upload_jobs import Reading
from pipeline.jobs import queue
from pipeline.jobs.runner import JobRunner
from pipeline.models import Revision, Run
from pipeline.runs import lifecycle
from pipeline.runs.execution import Revising
from pipeline.runs.scoring import Scoring
from pipeline.trials.lifecycle import delete_old_trials
from rarrweb.web.sessions import SessionStore

RUNNERS: tuple[JobRunner[Any], ...] = (Revising(), Indexing(), Reading(), Scoring())


def sweep() -> None:
    for runner in RUNNERS:
        runner.sweep()
    for run_id in Run.objects.filter(state=Run.State.RUNNING).values_list("pk", flat=True):
        lifecycle.finish_if_over(run_id)
    send_due()
    send_lost()
    forget_left_files()
    delete_old_trials()
    SessionStore.clear_expired()


def send_due() -> None:
    """Send passages without a message, unless a batch still waits in the queue."""
    length = Revising().waiting_messages()
    if length is None or length >= queue.BATCH:
        return
    unsent = Revision.objects.claimable().filter(sent_at=None)
    for run_id in list(unsent.order_by().values_list("run_id", flat=True).distinct()):
        queue.send_unsent(run_id)


def send_lost() -> None:
    for runner in RUNNERS:
        runner.send_lost()
