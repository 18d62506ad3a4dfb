"""One passage's turn: claim its row, revise under a lease, record the end.

A result is written only while the claim is still this worker's own. A worker that was paused
past its lease finds somebody else at the row, and drops what it has.
"""

import logging
import random
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.db.models import F
from django.utils import timezone

from pipeline.backends.budgets import BudgetSpent
from pipeline.backends.calls import Call, totals
from pipeline.backends.model_loading import watched
from pipeline.backends.model_revisions import revisions_of
from pipeline.backends.own_sources import NoOwnSources
from pipeline.backends.search_names import SOURCES
from pipeline.backends.work import WorkContext
from pipeline.data import corpora
from pipeline.data.source_pages import read_named_pages
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import Engine, Outcome
from pipeline.engine.loading import load_engine
from pipeline.importing.came_with import documents_of
from pipeline.importing.gold import question_of
from pipeline.jobs import leases
from pipeline.models import Revision
from pipeline.rarr import types as rarr
from pipeline.rarr.errors import RarrError, TransientError
from pipeline.rarr.plain import to_plain
from pipeline.rarr.ports import Watcher
from pipeline.rarr.types import NotRevised, Passage
from pipeline.runs import lifecycle
from pipeline.runs.answer_cache import DatabaseAnswers
from pipeline.runs.costs import RunLedger
from pipeline.runs.failures import failure_name, gave_up_message
from pipeline.runs.replies import add_replies
from pipeline.runs.stored_revisions import columns_of

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 5
"""Times that a passage is begun before a transient error is its end."""

NOT_BEGUN = {
    "state": Revision.State.QUEUED, "sent_at": None, "attempts": F("attempts") - 1
}  # fmt: skip
"""The columns of a passage whose try counts for nothing."""

SECONDS_BETWEEN_NOTES = 0.25
"""Steps that follow one another faster than this are written together."""

FIRST_WAIT_SECONDS = 5.0
LONGEST_WAIT_SECONDS = 600.0
LONGEST_ASKED_SECONDS = 3600.0
"""A server that asks to be left alone for longer is asked again all the same."""


def revise_several(revision_id: int) -> None:
    """Revise a passage, and more of its run at once where a server of a language model is asked.

    The process waits most of that time. Each passage has its own claim, lease and end, so what
    is still in work when the task's time is over goes on, and is recorded by its own thread.
    """
    revision = Revision.objects.claimable().select_related("run").filter(pk=revision_id).first()
    if revision is None:
        return None
    others: list[int] = []
    # A passage over which a worker died is alone, so that the next death costs no other.
    if not revision.lost_leases and RunConfig.from_plain(revision.run.config).waits_for_server:
        waiting = Revision.objects.claimable().filter(run=revision.run, lost_leases=0)
        keys = waiting.exclude(pk=revision_id).order_by("pk").values_list("pk", flat=True)
        others = list(keys[: settings.RARR_LLM_CONCURRENCY - 1])
    if not others:
        return revise(revision_id)
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
        revise(revision_id)
    finally:
        connection.close()  # a thread's connection is its own


def revise(revision_id: int) -> None:
    """Revise one passage, if nobody else is at it, and record what became of it.

    Never raises for what goes wrong with the passage: that is recorded in its row.
    """
    token = leases.claim(
        Revision.objects.claimable(),
        revision_id,
        state=Revision.State.RUNNING,
        attempts=F("attempts") + 1,
        started_at=timezone.now(),
        finished_at=None,
        not_before=None,
        failure="",
        failure_message="",
    )
    if not token:
        return  # done, paused, cancelled, waiting for its hour, or another worker's
    revision = Revision.objects.select_related("run__corpus", "run__dataset", "passage").get(
        pk=revision_id
    )
    if revision.lost_leases >= leases.MOST_LOST:
        # Its workers died before they could say why: most likely out of memory.
        record_failure(revision, token, "GaveUp", gave_up_message())
        return
    _revise_claimed(revision, token)


def _revise_claimed(revision: Revision, token: str) -> None:
    """Revise a passage whose row is claimed."""
    calls: list[Call] = []
    try:
        with leases.renewed(Revision, revision.pk, token, given_back=NOT_BEGUN) as lease:
            outcome = _revised(revision, lease, calls)
        record_outcome(revision, token, outcome)
    except leases.LeaseLost as lost:
        logger.warning("the work stops: %s", lost)
    except BudgetSpent as spent:
        _wait_for_budget(revision, token, str(spent), calls)
    except (TransientError, OperationalError, InterfaceError) as error:
        _try_later(revision, token, error, calls)
    except SoftTimeLimitExceeded:
        message = "It took longer than a passage may take."
        record_failure(revision, token, "TookTooLong", message, calls)
    except RarrError as error:
        tried = to_plain(error.revision) if isinstance(error, NotRevised) else {}
        record_failure(revision, token, failure_name(error), str(error), calls, result=tried)
    except Exception as error:
        logger.exception("revision %s failed", revision.pk)
        record_failure(revision, token, type(error).__name__, str(error) or repr(error), calls)


def _revised(revision: Revision, lease: leases.Lease, calls: list[Call]) -> Outcome:
    """The outcome of the passage; `calls` fills with what it asks of models."""
    run = revision.run
    config = RunConfig.from_plain(run.config)
    index = None
    if run.corpus:
        corpora.check_index(run.corpus, run.versions)
        index = corpora.search_index(run.corpus)
    work = WorkContext(
        answers=DatabaseAnswers(since=run.started_at if run.is_refreshed else None),
        ledger=RunLedger(run, confirm=lease.confirm),
        calls=calls,
    )
    with watched(partial(_note_loading, lease)):
        engine = load_engine(config, index=index)
        watcher = _note_progress(lease) if run.is_trial else None
        try:
            outcome = _outcome(engine, config, revision, watcher, work)
        finally:
            add_replies(run, work.replies)
    lease.confirm()
    lifecycle.note_models(run, revisions_of(run.config.values()))
    return outcome


def _outcome(
    engine: Engine, config: RunConfig, row: Revision, watcher: Watcher | None, work: WorkContext
) -> Outcome:
    name, source = row.passage.external_id, row.passage.source
    if config.writes_answers:
        return engine.answer(
            question_of(name=name, context=row.context, text=row.passage.text, source=source),
            gold=source,
            work=work,
        )
    passage = Passage(id=name, text=row.original_text, context=row.context)
    if config.search != SOURCES:
        return engine.revise(passage, watcher=watcher, work=work)
    if not row.run.is_trial:  # an import has read the pages that its passages name
        return engine.revise(passage, sources=documents_of(source), work=work)
    source = read_named_pages(source, work)
    if work.left_out and not documents_of(source):
        reasons = " ".join(f"{page.url}: {page.reason}" for page in work.left_out.values())
        raise NoOwnSources(f"None of the addresses could be read. {reasons}")
    return engine.revise(passage, sources=documents_of(source), watcher=watcher, work=work)


def _note_loading(lease: leases.Lease, is_loading: bool) -> None:
    """Say in the passage's row that it waits for models of this process, or no longer does."""
    _note(lease, started_at=None if is_loading else timezone.now())


def _note_progress(lease: leases.Lease) -> Watcher:
    """A watcher that writes the revision as far as it has come, for a page that shows it.

    It raises `LeaseLost` where the row is deleted or another worker's.
    """
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
    """Write columns that a page shows meanwhile; False where the row is no longer ours."""
    mine = leases.where_mine(Revision, lease.pk, lease.token)
    try:
        return bool(mine.update(**values))
    except (OperationalError, InterfaceError) as error:
        # The revision must not fail for a word on a page.
        logger.warning("The progress of passage %s is not noted: %s", lease.pk, error)
        return True


def record_outcome(revision: Revision, token: str, outcome: Outcome) -> bool:
    """Write a result; False when the claim was lost, and the result with it."""
    calls = _all_calls(revision, outcome.calls)
    usage = outcome.usage
    if revision.calls:  # of tries that came to nothing: they were paid, too
        usage = replace(usage, **totals(map(Call.from_plain, calls)).as_usage())
    return _end(
        revision,
        token,
        state=Revision.State.DONE,
        **columns_of(replace(outcome, usage=usage)),
        calls=calls,
    )


def record_failure(
    revision: Revision,
    token: str,
    name: str,
    message: str,
    calls: Sequence[Call] = (),
    *,
    result: Mapping[str, Any] | None = None,
) -> bool:
    """Write why the passage failed, for good or until somebody retries it.

    `result` is what was tried, where that can be shown; none of its figures are.
    """
    written = _end(
        revision,
        token,
        state=Revision.State.FAILED,
        failure=name[:100],
        failure_message=message,
        calls=_all_calls(revision, calls),
        result=result or {},
    )
    if written and lifecycle.pause_where_many_fail(revision):
        logger.warning("run %s pauses: its first passages fail", revision.run_id)
    return written


def _all_calls(revision: Revision, calls: Sequence[Call]) -> list[dict[str, Any]]:
    """The calls of this try behind those of the tries before it."""
    return [*revision.calls, *(call.to_plain() for call in calls)]


def _wait_for_budget(revision: Revision, token: str, reason: str, calls: Sequence[Call]) -> None:
    """Pause the run, and let the passage wait as if it had not been begun.

    What it had asked already is kept (`answer_cache`), and costs nothing when it goes on.
    """
    logger.info("run %s pauses: %s", revision.run_id, reason)
    lifecycle.pause(revision.run, reason=reason)
    _put_back(revision, token, calls, **NOT_BEGUN)


def _try_later(revision: Revision, token: str, error: Exception, calls: Sequence[Call]) -> None:
    """Let the passage wait for another try, or fail it when it has had enough of them."""
    name, message = type(error).__name__, str(error) or repr(error)
    if revision.run.is_trial:  # its owner waits, and can retry it at once
        record_failure(revision, token, name, message, calls)
        return
    if revision.attempts >= MAX_ATTEMPTS:
        tries = f"{message} (Tried {revision.attempts} times.)"
        record_failure(revision, token, name, tries, calls)
        return
    asked = error.wait if isinstance(error, TransientError) else 0.0
    wait = max(waiting_seconds(revision.attempts), min(asked, LONGEST_ASKED_SECONDS))
    logger.info("revision %s waits %.0f s after %s: %s", revision.pk, wait, name, message)
    _put_back(
        revision,
        token,
        calls,
        not_before=timezone.now() + timedelta(seconds=wait),
        failure=name[:100],
        failure_message=message,
    )


def _put_back(revision: Revision, token: str, calls: Sequence[Call], **values: Any) -> None:
    """Let the passage wait for another try, where the claim is still `token`."""
    values = {"state": Revision.State.QUEUED, "sent_at": None} | values
    mine = leases.where_mine(Revision, revision.pk, token)
    leases.write_end(mine, calls=_all_calls(revision, calls), **values)


def waiting_seconds(attempts: int) -> float:
    """How long to wait before the next try: doubled each time, spread out by chance.

    The chance keeps passages that failed together (a server that restarts, a rate limit) from
    coming back together.
    """
    longest = min(FIRST_WAIT_SECONDS * 2.0 ** (attempts - 1), LONGEST_WAIT_SECONDS)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, keeps no secret


def _end(revision: Revision, token: str, **values: Any) -> bool:
    """Write the end of a try where the claim is still `token`; False when it is not."""
    mine = leases.where_mine(Revision, revision.pk, token)
    running = mine.filter(state=Revision.State.RUNNING)
    written = leases.write_end(running, finished_at=timezone.now(), **values)
    if not written:
        logger.warning("revision %s was taken over by another worker: dropped", revision.pk)
        return False
    lifecycle.finish_if_over(revision.run_id)
    return True
