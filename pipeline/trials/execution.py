"""One trial's turn: claim its row, revise under a lease, write each step, record the end.

Somebody waits for it, so nothing is tried again by itself: what goes wrong is said at once.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError
from django.db.models import F
from django.utils import timezone

from pipeline.backends.answers import kept_in
from pipeline.backends.calls import Call, logged
from pipeline.backends.model_loading import watched
from pipeline.backends.searches import Index
from pipeline.backends.web.domains import Domains
from pipeline.backends.web.pages import PageReader, gathered
from pipeline.data import corpora
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import Outcome
from pipeline.engine.loading import load_engine
from pipeline.engine.search import load_web
from pipeline.jobs import leases
from pipeline.models import Trial
from pipeline.rarr.errors import RarrError
from pipeline.rarr.plain import to_plain
from pipeline.rarr.types import Document, LeftOut, NotRevised, Passage, Revision
from pipeline.runs.answer_cache import DatabaseAnswers
from pipeline.runs.failures import failure_name, gave_up_message
from pipeline.runs.stored_revisions import columns_of
from pipeline.standalone.corpus_indexes import index_documents
from pipeline.trials.lifecycle import BEAT_SECONDS

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_NEWS = 0.25
"""Turns that follow one another faster than this are written together."""


class NoSource(RarrError):
    """None of the addresses that were given as sources could be read."""


def revise(trial_id: int) -> None:
    """Revise one passage that is tried, if nobody else is at it; never raises for its sake."""
    token = leases.claim(
        Trial.objects.waiting(), trial_id, state=Trial.State.RUNNING, started_at=None
    )
    if not token:
        return  # done, deleted, or another worker's
    trial = Trial.objects.select_related("corpus").get(pk=trial_id)
    if trial.lost_leases >= leases.MOST_LOST:
        _fail(trial, token, "GaveUp", gave_up_message())
        return
    with logged() as calls:
        _revise_claimed(trial, token, calls)


def _revise_claimed(trial: Trial, token: str, calls: Sequence[Call]) -> None:
    try:
        waiting = {"state": Trial.State.QUEUED}
        with leases.renewed(
            Trial, trial.pk, token, every=BEAT_SECONDS, given_back=waiting
        ) as lease:
            outcome = _revised(trial, lease)
        columns = columns_of(outcome) | {"calls": [call.to_plain() for call in outcome.calls]}
        _end(trial, token, state=Trial.State.DONE, **columns)
    except leases.LeaseLost as lost:
        logger.warning("the work stops: %s", lost)
    except SoftTimeLimitExceeded:
        _fail(trial, token, "TookTooLong", "It took longer than a passage may take.", calls)
    except RarrError as error:
        tried = {"result": to_plain(error.revision)} if isinstance(error, NotRevised) else {}
        _fail(trial, token, failure_name(error), str(error), calls, **tried)
    except Exception as error:
        logger.exception("trial %s failed", trial.pk)
        _fail(trial, token, type(error).__name__, str(error) or repr(error), calls)


def _revised(trial: Trial, lease: leases.Lease) -> Outcome:
    config = RunConfig.from_plain(trial.config)
    with watched(partial(_note_loading, lease)), kept_in(DatabaseAnswers()):
        index, left_out = _index(trial, config)
        engine = load_engine(config, index=index)
        # The first model of a process loads here; what is shared by all was there before.
        _note_loading(lease, False)
        outcome = engine.revise(
            Passage(id=f"try-{trial.pk}", text=trial.original_text, context=trial.context),
            watcher=_News(lease),
        )
    lease.confirm()
    revision = outcome.revision
    return replace(outcome, revision=replace(revision, left_out=(*left_out, *revision.left_out)))


def _index(trial: Trial, config: RunConfig) -> tuple[Index | None, Sequence[LeftOut]]:
    """Where to search, and which addresses could not be read; raises `NoSource`."""
    if not trial.sources:
        return corpora.search_index(trial.corpus) if trial.corpus else None, ()
    given = [Document(**source) for source in trial.sources if "text" in source]
    addresses = [source["url"] for source in trial.sources if "text" not in source]
    with gathered() as left_out:
        read = _read_pages(addresses, config) if addresses else []
    if not (given or read):
        reasons = " ".join(f"{page.url}: {page.reason}" for page in left_out.values())
        raise NoSource(f"None of the addresses could be read. {reasons}")
    return index_documents([*given, *read]), tuple(left_out.values())


def _read_pages(addresses: Sequence[str], config: RunConfig) -> list[Document]:
    domains = Domains.read(excluded=config.domains_excluded, allowed=config.domains_allowed)
    web = load_web()
    pages = PageReader(client=web.client, robots=web.robots, domains=domains)
    return list(pages.read(dict.fromkeys(addresses, "")).values())


def _note_loading(lease: leases.Lease, is_loading: bool) -> None:
    """Say in the row whether its worker loads models."""
    # Whether the row is still ours is asked later: a model that was loaded must not go for it.
    _is_written(lease, started_at=None if is_loading else timezone.now())


class _News:
    """Writes the revision as far as it has come; raises `LeaseLost` where the row is another's."""

    def __init__(self, lease: leases.Lease) -> None:
        self._lease = lease
        self._written = 0.0

    def __call__(self, revision: Revision) -> None:
        now = time.monotonic()
        if revision.trace and now - self._written < SECONDS_BETWEEN_NEWS:
            return
        self._written = now
        if not _is_written(self._lease, result=to_plain(revision), text=revision.text):
            raise leases.LeaseLost(f"Trial {self._lease.pk} was deleted or taken over")


def _is_written(lease: leases.Lease, **values: Any) -> bool:
    """Write news; False where the row is no longer ours."""
    mine = leases.where_mine(Trial, lease.pk, lease.token)
    try:
        return bool(mine.update(news=F("news") + 1, **values))
    except (OperationalError, InterfaceError) as error:
        # The revision must not go for a word on a page.
        logger.warning("a step of trial %s is not noted: %s", lease.pk, error)
        return True


def _fail(
    trial: Trial, token: str, name: str, message: str, calls: Sequence[Call] = (), **values: Any
) -> None:
    plain = [call.to_plain() for call in calls]
    failure = {"failure": name[:100], "failure_message": message, "calls": plain}
    _end(trial, token, state=Trial.State.FAILED, **failure, **values)


def _end(trial: Trial, token: str, **values: Any) -> None:
    """Write the end of a try where the claim is still `token`."""
    mine = leases.where_mine(Trial, trial.pk, token)
    if not leases.write_end(mine, news=F("news") + 1, finished_at=timezone.now(), **values):
        logger.warning("trial %s is deleted or was taken over: dropped", trial.pk)
