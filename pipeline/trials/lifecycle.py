"""Starting a trial, trying it again, keeping it, sharing it, and its end."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.db.models.expressions import Combinable
from django.utils import timezone

from pipeline.data.datasets import add_passages
from pipeline.engine.configuration import RunConfig
from pipeline.engine.loading import versions_of
from pipeline.importing.rows import PassageRow
from pipeline.jobs import leases
from pipeline.jobs.queue import queue_trial
from pipeline.models import Corpus, Dataset, Trial
from rarrweb.accounts import audit
from rarrweb.accounts.models import User

KEPT_DAYS = 30
"""After so many days a trial is deleted; what was put into a dataset stays there."""
BEAT_SECONDS = 5
"""How often a worker says that it is still at the passage: somebody waits for it."""
SILENT_SECONDS = 3 * BEAT_SECONDS


def start_trial(
    *,
    owner: User,
    text: str,
    context: str = "",
    config: RunConfig,
    corpus: Corpus | None = None,
    sources: Sequence[Mapping[str, str]] = (),
) -> Trial:
    """Have a worker revise one passage, by a corpus, by `Trial.sources`, or by the web."""
    trial = Trial.objects.create(
        owner=owner,
        original_text=text,
        context=context,
        corpus=corpus,
        sources=list(sources),
        config=config.to_plain(),
        versions=versions_of(config),
    )
    queue_trial(trial)
    return trial


def is_silent(trial: Trial) -> bool:
    """Whether nothing was heard for a while from the worker that revises the passage."""
    is_at_work = trial.state == Trial.State.RUNNING
    return is_at_work and leases.is_silent(trial.lease_until, seconds=SILENT_SECONDS)


def retry_trial(trial: Trial) -> bool:
    """Try once more a passage that failed, or whose worker is silent; False for any other."""
    tried = Trial.objects.filter(pk=trial.pk)
    lost: int | Combinable = 0
    if is_silent(trial):
        # It may be the passage that kills its workers, so this counts as a lost lease.
        tried = tried.filter(state=Trial.State.RUNNING, claim=trial.claim)
        tried = tried.filter(lease_until=trial.lease_until)
        lost = F("lost_leases") + 1
    else:
        tried = tried.filter(state=Trial.State.FAILED)
    changed = tried.update(
        state=Trial.State.QUEUED,
        claim="",
        lease_until=None,
        lost_leases=lost,
        started_at=None,
        finished_at=None,
        failure="",
        failure_message="",
        text="",
        result={},
    )
    if changed:
        queue_trial(trial)
    return bool(changed)


def keep_trial(trial: Trial, *, dataset: Dataset) -> None:
    """Put the passage, as it was tried, into a dataset; once, however often it is kept there."""
    row = PassageRow(
        line=0, external_id=f"try-{trial.pk}", text=trial.original_text, context=trial.context
    )
    with transaction.atomic():
        add_passages(dataset, [row])
        Trial.objects.filter(pk=trial.pk).update(kept_in=dataset)


def share_trial(trial: Trial) -> None:
    """Let everybody who is logged in and has the link read the trial."""
    unshared = Trial.objects.filter(pk=trial.pk, share_token="")
    if unshared.update(share_token=secrets.token_urlsafe(32)):
        audit.record("shared", trial)


def unshare_trial(trial: Trial) -> None:
    """Make the link lead nowhere; sharing again makes another one."""
    Trial.objects.filter(pk=trial.pk).update(share_token="")
    audit.record("unshared", trial)


def forget_old_trials() -> None:
    Trial.objects.filter(created_at__lt=timezone.now() - timedelta(days=KEPT_DAYS)).delete()
