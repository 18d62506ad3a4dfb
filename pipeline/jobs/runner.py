"""One way through a job for all kinds: claim, renew the lease, work, record the end.

The row is the truth, and a message only names it: one that is sent twice, or to a worker that is
late, finds nothing to do. A row that a dead worker has left waits again once its lease ran out.
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
from rarrweb.web.unavailable import is_busy

logger = logging.getLogger(__name__)

Job = TypeVar("Job", bound=LeasedJob)


class GaveUp(RarrError):
    """Workers died during a job and left no reason: most likely they were out of memory."""


class JobRunner(ABC, Generic[Job]):
    """One kind of job: which rows wait for a worker, and what is done with one."""

    model: type[Job]
    tasks: ClassVar[tuple[str, ...]]
    """Whose messages name rows of this kind; a lost one is sent again as the first."""
    released: ClassVar[Mapping[str, Any]] = {}
    """Columns to write when a row waits again as if it had not been begun."""

    @abstractmethod
    def waiting(self) -> QuerySet[Job]:
        """Rows that a worker may claim: conditions on their own columns, see `leases.claim`."""

    @abstractmethod
    def work(self, job: Job, lease: leases.Lease) -> dict[str, Any]:
        """Do the job and return the columns that record its end.

        Confirms the lease before each write.
        """

    @abstractmethod
    def why_given_up(self, job: Job) -> str:
        """Why a job that has lost `most_lost` leases is not tried again."""

    @property
    def most_lost(self) -> int:
        """How many workers may die or hang during one job."""
        return leases.MOST_LOST

    def claimed(self) -> dict[str, Any]:
        """Columns to write with the claim."""
        return {}

    def load(self, pk: int) -> Job:
        return self.model._default_manager.get(pk=pk)

    def later(self, job: Job, error: Exception) -> dict[str, Any] | None:
        """Columns of a job that waits for another try after `error`; None where it failed."""
        is_of_database = isinstance(error, (OperationalError, InterfaceError))
        return {} if is_of_database and is_busy(error) else None

    def failed(self, job: Job, error: Exception) -> dict[str, Any]:
        """The columns of a job that failed, until somebody retries it."""
        failure = failure_sentence(error)
        return {"state": "failed", "failure": failure, "finished_at": timezone.now()}

    def ended(self, job: Job, end: Mapping[str, Any]) -> None:  # most kinds need nothing here
        """What follows once the end is written."""

    def run(self, pk: int) -> bool:
        """Do one job. False if another worker has it, it was withdrawn, or it has to wait.

        Never raises for what goes wrong with the job: that is recorded in its row.
        """
        self.bring_back(pk=pk)
        token = leases.claim(self.waiting(), pk, **self.claimed())
        if not token:
            return False
        job = self.load(pk)
        lease = leases.Lease(model=self.model, pk=pk, token=token, released=self.released)
        try:
            if job.lost_leases >= self.most_lost:
                raise GaveUp(self.why_given_up(job))
            with leases.renewed(lease):
                end = self.work(job, lease)
        except leases.LeaseLost as lost:
            logger.warning("the work stops: %s", lost)
            return False
        except KeyboardInterrupt:
            lease.give_back()
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
            logger.warning("%s %s was taken over: dropped", self.model.__name__, pk)
            return False
        self.ended(job, end)
        return True

    def sweep(self) -> None:
        """Bring back what dead workers held, and give up what has killed too many."""
        self.bring_back()
        fatal = self.waiting().filter(lost_leases__gte=self.most_lost)
        for pk in list(fatal.values_list("pk", flat=True)):
            self.run(pk)

    def bring_back(self, **which: Any) -> None:
        """Let rows whose lease ran out wait again; one more of their leases counts as lost."""
        self.model._default_manager.filter(lease_is_over(), **which).update(
            lost_leases=F("lost_leases") + 1, **FREE, **self.released
        )

    def send_lost(self) -> None:
        """Send again what the queue has forgotten: the rows that wait beyond its messages.

        Comparing the two numbers, instead of sending all again, keeps the queue from growing when
        work simply takes long.
        """
        length = self.waiting_messages()
        if length is None:
            return
        sent = self.sent()
        if (lost := sent.count() - length) > 0:
            self.send_again(list(sent.values_list("pk", flat=True)[:lost]))

    def sent(self) -> QuerySet[Job]:
        """Waiting rows whose message should be in the queue, the oldest first."""
        return self.waiting().order_by("pk")

    def send_again(self, ids: list[int]) -> None:
        queue.send(self.tasks[0], ids)

    def waiting_messages(self) -> int | None:
        """How many messages name rows of this kind; None where the broker cannot be reached."""
        total = 0
        for task in self.tasks:
            if (length := queue.queue_length(queue.QUEUES[task])) is None:
                return None
            total += length
        return total


def failure_sentence(error: Exception) -> str:
    """Why a job failed, for people: our own errors as they are, others by their type."""
    if isinstance(error, RarrError):
        return str(error)
    if isinstance(error, (OperationalError, InterfaceError)) and is_busy(error):
        return "The database was away, or its disk full: try again when it is back."
    if isinstance(error, OSError):
        reason = (error.strerror or str(error)).lower()
        return f"The disk or the file gave an error ({reason}): look at the free space."
    kind = type(error).__name__
    return f"Unexpected error ({kind}): see the worker's log."
