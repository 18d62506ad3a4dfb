"""Revision of passages by workers, several at once if they wait for a server."""

import logging
import random
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import timedelta
from functools import partial
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from pipeline.backends.budgets import BudgetSpent
from pipeline.backends.calls import Call, totals
from pipeline.backends.model_loading import observe_loading
from pipeline.backends.model_revisions import revisions_of
from pipeline.backends.search_names import SOURCES
from pipeline.backends.searches import MissingSources
from pipeline.backends.work import WorkContext
from pipeline.data import corpora
from pipeline.data.source_pages import read_named_pages
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import Engine, Outcome
from pipeline.engine.loading import load_engine
from pipeline.importing.questions import question_of
from pipeline.jobs import leases, queue
from pipeline.jobs.runner import JobRunner, failure_sentence
from pipeline.models import Revision
from pipeline.rarr import types as rarr
from pipeline.rarr.errors import TransientError
from pipeline.rarr.ports import ProgressCallback
from pipeline.rarr.serialization import to_plain
from pipeline.rarr.types import Passage, RevisionFailed
from pipeline.runs import lifecycle
from pipeline.runs.answer_cache import DatabaseCache
from pipeline.runs.budget import RunLedger, add_replies
from pipeline.runs.failures import failure_name
from pipeline.runs.stored_revisions import columns_of

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 5
"""Attempts until a transient error fails the passage."""
SENT_LATELY = timedelta(seconds=5)
"""A message this young may be between queue and worker: not lost yet."""
SECONDS_BETWEEN_NOTES = 0.25
"""Steps within this time are written together."""
FIRST_WAIT_SECONDS = 5.0
LONGEST_WAIT_SECONDS = 600.0
MAX_WAIT_SECONDS = 3600.0
"""Limit of a wait that a server requests."""


def revise_several(revision_id: int) -> None:
    """Revise a passage, and more of its run if they wait for a server.

    Each has its own lease, and its thread records it even after the task times out.
    """
    revision = Revision.objects.claimable().select_related("run").filter(pk=revision_id).first()
    if revision is None:
        return
    others: list[int] = []
    # A passage that crashed a worker is revised alone.
    if not revision.lost_leases and RunConfig.from_plain(revision.run.config).waits_for_server:
        waiting = Revision.objects.claimable().filter(run=revision.run, lost_leases=0)
        keys = waiting.exclude(pk=revision_id).order_by("pk").values_list("pk", flat=True)
        others = list(keys[: settings.RARR_LLM_CONCURRENCY - 1])
    if not others:
        Revising().run(revision_id)
        return
    pool = ThreadPoolExecutor(1 + len(others), "passage")
    try:
        for done in [pool.submit(_revise_in_thread, pk) for pk in (revision_id, *others)]:
            done.result()
    except SoftTimeLimitExceeded:
        logger.warning("run %s: passages take longer than a task may", revision.run_id)
    finally:
        pool.shutdown(wait=False)


def _revise_in_thread(revision_id: int) -> None:
    try:
        Revising().run(revision_id)
    finally:
        connection.close()  # a thread's connection is its own


class Revising(JobRunner[Revision]):
    model = Revision
    tasks = (queue.REVISE_PASSAGE, queue.REVISE_TRIAL)
    released = {"state": Revision.State.QUEUED, "sent_at": None, "attempts": F("attempts") - 1}

    def waiting(self) -> QuerySet[Revision]:
        return Revision.objects.claimable()

    def claimed(self) -> dict[str, Any]:
        return {
            "state": Revision.State.RUNNING,
            "attempts": F("attempts") + 1,
            "started_at": timezone.now(),
            "finished_at": None,
            "not_before": None,
            "failure": "",
            "failure_message": "",
        }

    def load(self, pk: int) -> Revision:
        return Revision.objects.select_related("run__corpus", "run__dataset", "passage").get(pk=pk)

    def work(self, job: Revision, lease: leases.Lease) -> dict[str, Any]:
        earlier, known = job.calls, [Call.from_plain(call) for call in job.calls]
        calls: list[Call] = []
        try:
            outcome = _revised(job, lease, calls)
        finally:
            job.calls = [*earlier, *(call.to_plain() for call in calls)]
        job.calls = [*earlier, *(call.to_plain() for call in outcome.calls)]
        usage = outcome.usage
        if known:  # calls of failed attempts cost money too
            usage = replace(usage, **asdict(totals([*known, *outcome.calls])))
        return {
            "state": Revision.State.DONE,
            "finished_at": timezone.now(),
            **columns_of(replace(outcome, usage=usage)),
            "calls": job.calls,
        }

    def later(self, job: Revision, error: Exception) -> dict[str, Any] | None:
        """Retry transient errors with growing waits; pause at a spent budget."""
        if isinstance(error, BudgetSpent):
            # Cached answers of this attempt cost nothing when the run continues.
            lifecycle.pause(job.run, reason=str(error))
            return {"calls": job.calls}
        is_transient = isinstance(error, (TransientError, OperationalError, InterfaceError))
        # The owner of a trial waits, and can retry it at once.
        if not is_transient or job.run.is_trial or job.attempts >= MAX_ATTEMPTS:
            return None
        requested_wait = error.wait if isinstance(error, TransientError) else 0.0
        wait = max(waiting_seconds(job.attempts), min(requested_wait, MAX_WAIT_SECONDS))
        return {
            "attempts": job.attempts,
            "not_before": timezone.now() + timedelta(seconds=wait),
            "failure": failure_name(error),
            "failure_message": failure_sentence(error),
            "calls": job.calls,
        }

    def failed(self, job: Revision, error: Exception) -> dict[str, Any]:
        name, message = failure_name(error), failure_sentence(error)
        if isinstance(error, SoftTimeLimitExceeded):
            name, message = "TookTooLong", "It took longer than a passage may take."
        elif isinstance(error, TransientError) and job.attempts >= MAX_ATTEMPTS:
            message = f"{message} (Tried {job.attempts} times.)"
        return {
            "state": Revision.State.FAILED,
            "finished_at": timezone.now(),
            "failure": name,
            "failure_message": message,
            "calls": job.calls,
            # What was tried, without figures.
            "result": to_plain(error.revision) if isinstance(error, RevisionFailed) else {},
        }

    def ended(self, job: Revision, end: Mapping[str, Any]) -> None:
        lifecycle.finish_if_over(job.run_id)
        if end["state"] == Revision.State.FAILED and lifecycle.pause_where_many_fail(job):
            logger.warning("run %s pauses: its first passages fail", job.run_id)

    def crash_message(self, job: Revision) -> str:
        return leases.crash_sentence(
            "this passage",
            fix="Start workers with a lower --concurrency, or shorten the passage, then retry.",
        )

    def sent(self) -> QuerySet[Revision]:
        now = timezone.now()
        # A time in the future is from before the clock was set back.
        long_sent = Q(sent_at__lt=now - SENT_LATELY) | Q(sent_at__gt=now + SENT_LATELY)
        return self.waiting().filter(long_sent).order_by("sent_at", "pk")

    def send_again(self, ids: list[int]) -> None:
        Revision.objects.filter(pk__in=ids).update(sent_at=timezone.now())
        super().send_again(ids)


def _revised(revision: Revision, lease: leases.Lease, calls: list[Call]) -> Outcome:
    """Compute the outcome; `calls` collects the calls of models."""
    run = revision.run
    config = RunConfig.from_plain(run.config)
    index = None
    if run.corpus:
        corpora.check_index(run.corpus, run.versions)
        index = corpora.search_index(run.corpus)
    work = WorkContext(
        cache=DatabaseCache(since=run.started_at if run.is_refreshed else None),
        ledger=RunLedger(run, confirm=lease.confirm),
        calls=calls,
    )
    with observe_loading(partial(_note_loading, lease)):
        engine = load_engine(config, index=index)
        on_progress = _note_progress(lease) if run.is_trial else None
        try:
            outcome = _outcome(engine, config, revision, on_progress, work)
        finally:
            add_replies(run, work.replies)
    lease.confirm()
    lifecycle.note_models(run, revisions_of(run.config.values()))
    return outcome


def _outcome(
    engine: Engine,
    config: RunConfig,
    row: Revision,
    on_progress: ProgressCallback | None,
    work: WorkContext,
) -> Outcome:
    name, source = row.passage.external_id, row.passage.source
    if config.writes_answers:
        return engine.answer(
            question_of(name=name, context=row.context, text=row.passage.text, source=source),
            gold=source.gold,
            work=work,
        )
    passage = Passage(id=name, text=row.original_text, context=row.context)
    if config.search != SOURCES:
        return engine.revise(passage, on_progress=on_progress, work=work)
    if not row.run.is_trial:  # the import has read the sources' pages
        return engine.revise(passage, sources=source.documents, work=work)
    source = read_named_pages(source, work)
    if work.skipped_pages and not source.documents:
        reasons = " ".join(f"{page.url}: {page.reason}" for page in work.skipped_pages.values())
        raise MissingSources(f"None of the addresses could be read. {reasons}")
    return engine.revise(passage, sources=source.documents, on_progress=on_progress, work=work)


def _note_loading(lease: leases.Lease, is_loading: bool) -> None:
    _note(lease, started_at=None if is_loading else timezone.now())


def _note_progress(lease: leases.Lease) -> ProgressCallback:
    """Make a callback that writes the revision so far; it raises `LeaseLost`."""
    written = 0.0

    def note(revised: rarr.Revision) -> None:
        nonlocal written
        now = time.monotonic()
        if revised.trace and now - written < SECONDS_BETWEEN_NOTES:
            return
        written = now
        if not _note(lease, result=to_plain(revised)):
            raise leases.LeaseLost(f"revision {lease.pk} was deleted, or taken over")

    return note


def _note(lease: leases.Lease, **values: Any) -> bool:
    """Write columns for pages; False if the lease is lost."""
    try:
        return bool(lease.mine.update(**values))
    except (OperationalError, InterfaceError) as error:
        # A missing note on a page must not fail the revision.
        logger.warning("The progress of passage %s is not noted: %s", lease.pk, error)
        return True


def waiting_seconds(attempts: int) -> float:
    """Return the wait before the next attempt: doubled each time, and random to spread load."""
    longest = min(FIRST_WAIT_SECONDS * 2.0 ** (attempts - 1), LONGEST_WAIT_SECONDS)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311
