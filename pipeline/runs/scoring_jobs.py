"""Scoring a run that came in a file, as a worker's job; its row tells how far it is."""

import logging
from functools import partial

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.engine.configuration import RunConfig
from pipeline.jobs import leases, queue
from pipeline.jobs.turns import FREE, left_to_workers, take_turn
from pipeline.models import Run, ScoringJob
from pipeline.runs.scoring import check_can_be_scored, score_run
from rarrweb.accounts.models import User

logger = logging.getLogger(__name__)

State = ScoringJob.State
NAMED = 20
"""So many passages that could not be scored are told."""


def job_of(run: Run) -> ScoringJob | None:
    """The last scoring of the run. One query."""
    return ScoringJob.objects.filter(run=run).first()


def start_scoring(run: Run, *, by: User | None) -> ScoringJob:
    """Have a worker score the run by the models of this installation, unless one is at it.

    Raises `RunRefused` for a run of a system, and `BadConfig` for settings that name no models.
    """
    check_can_be_scored(run)
    _ = RunConfig.from_settings()
    with transaction.atomic():
        job, is_new = ScoringJob.objects.select_for_update().get_or_create(run=run)
        if job.is_open and not is_new:
            return job
        ScoringJob.objects.filter(pk=job.pk).update(
            state=State.QUEUED, passages_done=0, left_out=[], failure="", lost_leases=0,
            created_by=by, finished_at=None, **FREE,
        )  # fmt: skip
        transaction.on_commit(partial(queue.send, queue.SCORE_RUN, [job.pk]))
    job.refresh_from_db()
    return job


def waiting_jobs() -> QuerySet[ScoringJob]:
    """Jobs that wait for a worker, or whose worker died and let its lease run out."""
    return left_to_workers(ScoringJob.objects.filter(state__in=ScoringJob.OPEN))


def process_job(job_id: int) -> bool:
    """Score the run; False if another worker is at it, or nobody wants it any more.

    Safe to call at any time, also after a crash: what a dead worker has scored is not scored
    again. The row tells how it ended.
    """
    return take_turn(waiting_jobs(), job_id, _score, set_aside=_set_aside, state=State.RUNNING)


def _set_aside(job: ScoringJob) -> str:
    fix = "Choose a smaller model (RARR_ENTAILMENT), or a machine with more memory."
    return leases.set_aside_sentence("this scoring", fix=fix)


def _score(job: ScoringJob, mine: QuerySet[ScoringJob], lease: leases.Lease) -> None:
    # A scoring goes on by the models that it began with, whatever the settings say by now.
    is_resumed = job.passages_done > 0
    began = ("entailment", "decontextualizer") if is_resumed else ()
    config = RunConfig.from_settings(overrides={name: job.run.config[name] for name in began})

    def tell(done: int) -> None:
        lease.confirm()
        mine.update(passages_done=done)

    failed = score_run(job.run, config, progress=tell, is_resumed=is_resumed)
    mine.update(state=State.DONE, left_out=failed[:NAMED], finished_at=timezone.now(), **FREE)
