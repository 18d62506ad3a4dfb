"""A worker's turn at a job: claimed, done under a lease, its end written to its row."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError
from django.db.models import Q, QuerySet
from django.utils import timezone

from pipeline.jobs import leases
from pipeline.models.bases import LeasedJob, lease_is_over
from pipeline.rarr.errors import RarrError
from rarrweb.busy import is_busy

logger = logging.getLogger(__name__)

FREE: dict[str, Any] = {"claim": "", "lease_until": None}
"""The columns of a job that no worker has claimed."""
Job = TypeVar("Job", bound=LeasedJob)
Work = Callable[[Job, QuerySet[Job], leases.Lease], None]
"""The job, its row as long as it is this worker's, and the lease to confirm before it writes."""


def left_to_workers(jobs: QuerySet[Job]) -> QuerySet[Job]:
    """Those that wait for a worker, or whose worker died and let its lease run out."""
    return jobs.filter(Q(lease_until=None) | lease_is_over())


def take_turn(
    waiting: QuerySet[Job],
    pk: int,
    work: Work[Job],
    *,
    set_aside: Callable[[Job], str],
    **claimed: Any,
) -> bool:
    """Do one job; False if another worker is at it, or nobody wants it any more.

    `claimed` are columns to write with the claim. `work` writes the end of the job to its row;
    what it raises becomes the job's `failure`, but for a lost lease and a database that is away:
    those leave the job to the next worker. `set_aside` says why nobody will be at a job any more
    over which `leases.MOST_LOST` workers have died.
    """
    model = waiting.model
    token = leases.claim(waiting, pk, **claimed)
    if not token:
        return False
    job = model.objects.get(pk=pk)  # type: ignore[attr-defined]  # only an abstract model has none
    mine = leases.where_mine(model, pk, token)
    if job.lost_leases >= leases.MOST_LOST:
        fail(mine, set_aside(job))
        return True
    try:
        with leases.renewed(model, pk, token) as lease:
            work(job, mine, lease)
    except leases.LeaseLost as lost:
        logger.warning("the work stops: %s", lost)
        return False
    except (OperationalError, InterfaceError) as error:
        logger.exception("%s %s: the database is away, the sweep tries again", model.__name__, pk)
        if is_busy(error):
            leases.write_end(mine)
        return False
    except Exception as error:
        if not isinstance(error, RarrError):
            logger.exception("%s %s failed", model.__name__, pk)
        fail(mine, failure_sentence(error))
    return True


def fail(mine: QuerySet[Any], failure: str) -> None:
    """Write why the job failed, for good."""
    leases.write_end(mine, state="failed", failure=failure, finished_at=timezone.now())


def failure_sentence(error: Exception) -> str:
    """Why a job failed, for people: our own errors as they are, others by their type."""
    if isinstance(error, RarrError):
        return str(error)
    if isinstance(error, OSError):
        reason = (error.strerror or str(error)).lower()
        return f"The disk or the file gave an error ({reason}): look at the free space."
    kind = type(error).__name__
    return f"An error that nobody foresaw ({kind}): the worker's log tells more."
