"""Claim a job's row, renew the lease, work, record the end.

The row holds the state, so a duplicate or late message does nothing.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

from django.db import InterfaceError, OperationalError
from django.db.models import F, QuerySet
from django.utils import timezone

from pipeline.jobs import leases, queue
from pipeline.models.bases import FREE, LeasedJob, lease_is_over
from pipeline.rarr.errors import RarrError
from rarrweb.web.unavailable import is_transient_error

logger = logging.getLogger(__name__)

Job = TypeVar("Job", bound=LeasedJob)


class WorkerCrashed(RarrError):
    """Workers crashed during a job, probably out of memory."""


class JobRunner(ABC, Generic[Job]):
    """One kind of job."""

    model: type[Job]
    tasks: ClassVar[tuple[str, ...]]
    """Tasks whose messages name rows of this kind; the first sends lost messages again."""
    released: ClassVar[Mapping[str, Any]] = {}
    """Columns to write when a row waits again."""
    max_crashes = leases.MAX_CRASHES

    @abstractmethod
    def waiting(self) -> QuerySet[Job]:
        """Return the rows to claim, without a join: see `leases.claim`."""

    @abstractmethod
    def work(self, job: Job, lease: leases.Lease) -> dict[str, Any]:
        """Do the job, confirm the lease before each write, return the columns of its end."""

    @abstractmethod
    def crash_message(self, job: Job) -> str:
        """Explain a failure after `max_crashes`."""

    def claimed(self) -> dict[str, Any]:
        """Return columns to write with the claim."""
        return {}

    def load(self, pk: int) -> Job:
        return self.model._default_manager.get(pk=pk)

    def later(self, job: Job, error: Exception) -> dict[str, Any] | None:
        """Return the columns of a job that waits after `error`; None if it failed."""
        is_of_database = isinstance(error, (OperationalError, InterfaceError))
        return {} if is_of_database and is_transient_error(error) else None

    def failed(self, job: Job, error: Exception) -> dict[str, Any]:
        failure = failure_sentence(error)
        return {"state": "failed", "failure": failure, "finished_at": timezone.now()}

    def ended(self, job: Job, end: Mapping[str, Any]) -> None:  # most kinds need nothing here
        """Act on the recorded end."""

    def run(self, pk: int) -> bool:
        """Do one job; False if its row cannot be claimed, is lost, or has to wait.

        Safe to call at any time. Errors of the job are recorded in its row, not raised.
        """
        self.free_expired(pk=pk)
        token = leases.claim(self.waiting(), pk, **self.claimed())
        if not token:
            return False
        job = self.load(pk)
        lease = leases.Lease(model=self.model, pk=pk, token=token, released=self.released)
        try:
            if job.lost_leases >= self.max_crashes:
                raise WorkerCrashed(self.crash_message(job))
            with leases.renewed(lease):
                end = self.work(job, lease)
        except leases.LeaseLost as lost:
            logger.warning("the work stops: %s", lost)
            return False
        except KeyboardInterrupt:
            lease.release()
            raise
        except Exception as error:
            if (columns := self.later(job, error)) is not None:
                logger.warning("%s %s waits: %s", self.model.__name__, pk, error)
                leases.write_end(lease.mine, **{**self.released, **columns})
                return False
            if not isinstance(error, RarrError):
                logger.exception("%s %s failed", self.model.__name__, pk)
            end = self.failed(job, error)
        if not leases.write_end(lease.mine, **end):
            logger.warning("%s %s has another claim: dropped", self.model.__name__, pk)
            return False
        self.ended(job, end)
        return True

    def sweep(self) -> None:
        """Free rows of dead workers, and fail those that crashed too many."""
        self.free_expired()
        fatal = self.waiting().filter(lost_leases__gte=self.max_crashes)
        for pk in list(fatal.values_list("pk", flat=True)):
            self.run(pk)

    def free_expired(self, **which: Any) -> None:
        """Let rows with an expired lease wait again and count a crash."""
        self.model._default_manager.filter(lease_is_over(), **which).update(
            lost_leases=F("lost_leases") + 1, **FREE, **self.released
        )

    def send_lost(self) -> None:
        """Send messages again for rows beyond the queue's messages."""
        # Sending all again would make the queue grow while work is merely slow.
        length = self.waiting_messages()
        if length is None:
            return
        sent = self.sent()
        if (lost := sent.count() - length) > 0:
            self.send_again(list(sent.values_list("pk", flat=True)[:lost]))

    def sent(self) -> QuerySet[Job]:
        """Return waiting rows whose message should be queued, oldest first."""
        return self.waiting().order_by("pk")

    def send_again(self, ids: list[int]) -> None:
        queue.send(self.tasks[0], ids)

    def waiting_messages(self) -> int | None:
        """Count the queue's messages for this kind; None without a broker."""
        lengths = [queue.queue_length(queue.QUEUES[task]) for task in self.tasks]
        known = [length for length in lengths if length is not None]
        return sum(known) if len(known) == len(lengths) else None


def failure_sentence(error: Exception) -> str:
    if isinstance(error, RarrError):
        return str(error)
    if isinstance(error, (OperationalError, InterfaceError)) and is_transient_error(error):
        return "The database was unavailable, or its disk full: try again when it is back."
    if isinstance(error, OSError):
        reason = (error.strerror or str(error)).lower()
        return f"The disk or the file gave an error ({reason}): check the free space."
    kind = type(error).__name__
    return f"Unexpected error ({kind}): see the worker's log."
