"""Dataset packages as a worker's jobs: asked for, written whole or not at all, forgotten."""

import logging
import uuid
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation.exporting import load_format
from annotation.exporting.export import UnsuitableFormat
from annotation.exporting.package import (
    NOTHING_CHOSEN,
    REVISIONS,
    Contents,
    passages_of,
    write_package,
)
from annotation.items.run_groups import with_runs
from annotation.models import Campaign, ExportJob
from annotation.models.exports import KEPT_DAYS
from annotation.results.labels import SETTLED
from pipeline.data.splits import Part
from pipeline.data.stored_files import is_abandoned, remove
from pipeline.jobs import leases, queue
from pipeline.jobs.turns import FREE, left_to_workers, take_turn
from rarrweb.accounts.models import User

logger = logging.getLogger(__name__)

WRITE_EXPORT = "annotation.write_export"
queue.register_export(WRITE_EXPORT)
PROGRESS_EVERY = 500
State = ExportJob.State


def start_export(
    campaign: Campaign,
    *,
    by: User,
    formats: Sequence[str],
    labels: str = SETTLED,
    dev: float | None = None,
    salt: str = "",
    licence: str = "",
    language: str = "",
) -> ExportJob:
    """Have a worker write a dataset package; the job's row tells how far it is.

    `formats` are names of `FORMATS`, and `REVISIONS` for what the campaign's runs wrote. Raises
    `UnknownFormat`, `UnsuitableFormat` where a format has no place for the campaign's answers or
    none is chosen, and `BadSplit`.
    """
    chosen = [load_format(name) for name in dict.fromkeys(formats) if name != REVISIONS]
    if not chosen:
        raise UnsuitableFormat(NOTHING_CHOSEN)
    unsuitable = [each.name for each in chosen if not each.suits(campaign)]
    if unsuitable:
        raise UnsuitableFormat(f"{unsuitable[0]} has no place for this campaign’s answers.")
    if dev is not None:
        Part.both(dev=dev, salt=salt)
    job = ExportJob.objects.create(
        campaign=campaign,
        formats=list(dict.fromkeys(formats)),
        labels=labels,
        dev=dev,
        salt=salt,
        licence=licence,
        language=language,
        items_total=campaign.item_count * len(chosen)
        + (passages_of(campaign) if REVISIONS in formats else 0),
        created_by=by,
    )
    transaction.on_commit(partial(queue.send, WRITE_EXPORT, [job.pk]))
    return job


def waiting_exports() -> QuerySet[ExportJob]:
    """Jobs that wait for a worker, or whose worker died and let its lease run out."""
    return left_to_workers(ExportJob.objects.filter(state__in=ExportJob.OPEN))


def process_export(job_id: int) -> bool:
    """Write the package; False if another worker is at it, or nobody wants it any more.

    Safe to call at any time, also after a crash: what a dead worker has written counts for
    nothing, and the file gets its name when it is whole. The row tells how it ended.
    """
    return take_turn(
        waiting_exports(), job_id, _write, set_aside=_set_aside, state=State.WRITING, items_done=0
    )


def cancel_export(job: ExportJob) -> bool:
    """Give up a job that is not at its end; its worker stops at its next step. False if over."""
    ended = ExportJob.objects.filter(pk=job.pk, state__in=ExportJob.OPEN)
    return bool(ended.update(state=State.CANCELLED, finished_at=timezone.now(), **FREE))


def delete_export(job: ExportJob) -> None:
    """The row and its file; a worker that is at it stops."""
    path = job.path
    job.delete()
    path.unlink(missing_ok=True)


def forget_old_exports() -> None:
    """Remove the files of packages that are `KEPT_DAYS` old, and files without a job."""
    long_ago = timezone.now() - timedelta(days=KEPT_DAYS)
    old = ExportJob.objects.filter(state=State.DONE, finished_at__lt=long_ago)
    for job in old:
        job.path.unlink(missing_ok=True)
    old.update(state=State.EXPIRED)
    lying = [path for path in folder().glob("*") if is_abandoned(path)]
    if lying:
        known = {job.path.name for job in ExportJob.objects.filter(state=State.DONE)}
        for path in lying:
            if path.name not in known:
                remove(path)


def folder() -> Path:
    return Path(settings.EXPORT_DIR)


def _set_aside(job: ExportJob) -> str:
    fix = "Export fewer formats at a time, to find the one that does it."
    return leases.set_aside_sentence("this export", fix=fix)


def _write(job: ExportJob, mine: QuerySet[ExportJob], lease: leases.Lease) -> None:
    campaign = with_runs(Campaign.objects.all()).get(pk=job.campaign_id)
    contents = Contents(
        formats=tuple(load_format(name) for name in job.formats if name != REVISIONS),
        with_revisions=REVISIONS in job.formats,
        labels=job.labels,
        parts=Part.both(dev=job.dev, salt=job.salt) if job.dev else (),
        licence=job.licence,
        language=job.language,
    )
    folder().mkdir(parents=True, exist_ok=True)
    # A name of its own: a worker that lost its claim may still be writing.
    part = folder() / f"{job.pk}.{uuid.uuid4().hex[:8]}.part"
    try:
        written = write_package(campaign, contents, part, progress=_Progress(mine, lease))
        with transaction.atomic():
            # The row stays locked until the file has its name: whoever cancels, deletes or claims
            # the job comes before both or after both.
            if not mine.update(
                state=State.DONE, finished_at=timezone.now(), items_done=job.items_total,
                **written, **FREE,
            ):  # fmt: skip
                raise leases.LeaseLost(f"export {job.pk} is another worker's, or nobody's")
            part.replace(job.path)
        for left in folder().glob(f"{job.pk}.*.part"):  # of workers that died over it
            left.unlink(missing_ok=True)
    finally:
        part.unlink(missing_ok=True)


class _Progress:
    """Stores how far a job is, but not for every item; stops one that is lost or cancelled."""

    def __init__(self, mine: QuerySet[ExportJob], lease: leases.Lease) -> None:
        self._mine = mine
        self._lease = lease
        self._next = 0

    def __call__(self, done: int) -> None:
        if done >= self._next:
            self._next = done + PROGRESS_EVERY
            try:
                self._lease.confirm()
                self._mine.update(items_done=done)
            except OperationalError:
                # A small format reads with a cursor open, under which SQLite may refuse to write.
                # The lease is renewed by its own thread, and the file gets its name only under it.
                logger.info("the progress of export %s is told later", self._lease.pk)
