"""Figures that pages show: of a small campaign counted in the request, of a large one by a worker.

A large campaign's figure is a row (`KeptFigure`), which all web processes and machines read. A
request never counts it: it shows what is kept and the time that it is from, or that a worker is
counting. Whoever looks has an old one counted again, but not before `PATIENCE` times as long has
passed as counting took; so however many look, a figure takes at most a twentieth of one processor.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.core.cache import cache
from django.db import IntegrityError, OperationalError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import Campaign, KeptFigure
from annotation.results.plain_values import Unreadable, from_plain, to_plain
from annotation.results.work_states import state_of_figures
from pipeline.jobs import leases, queue
from pipeline.jobs.turns import FREE, left_to_workers, take_turn

logger = logging.getLogger(__name__)

COUNT_FIGURE = "annotation.count_figure"
queue.register_export(COUNT_FIGURE)

Made = TypeVar("Made")
State = KeptFigure.State

LIVE_SUBMISSIONS = 3_000
"""A campaign that wants no more is counted in the request: a few tenths of a second."""
LIVE_SECONDS = 3600
"""How long a process remembers what it counted in a request, while the work is the same."""
PATIENCE = 20
LEAST_PATIENCE = timedelta(seconds=10)
TRY_AGAIN = timedelta(minutes=10)
"""How long after a figure could not be counted it is tried again, if somebody looks."""
REST = timedelta(hours=6)
"""The same where counting it has killed its workers: it must not kill two every few minutes."""
KEPT_DAYS = 30
"""How long after somebody last had it counted a figure is forgotten."""
SILENT_SECONDS = 60
"""How long no page waits again for a queue that could not be reached; the sweep sends then."""
COUNTING_CODE = ("annotation", "pipeline/metrics", "pipeline/charts", "pipeline/pages")
"""The folders whose program decides what a figure is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigurePlan(Generic[Made]):
    """A figure of campaigns; `plan_figure` makes one."""

    name: str
    count: Callable[..., Made]
    """Of the campaign, and of arguments that JSON can hold."""
    work_of: Callable[..., str]
    """Of the same: a fingerprint that changes with everything that is counted."""
    is_dear: bool
    """Whether counting it takes more queries than to see that the work is the same."""


_KEPT = "_kept_figures_by_key"
"""Where a campaign that was read has them."""
PLANS: dict[str, FigurePlan[Any]] = {}
"""By name. A worker finds here what a row asks for: `annotation.tasks` imports all modules that
plan one."""


def plan_figure(
    name: str,
    count: Callable[..., Made],
    *,
    work_of: Callable[..., str] = state_of_figures,
    is_dear: bool = False,
) -> FigurePlan[Made]:
    plan = FigurePlan(name=name, count=count, work_of=work_of, is_dear=is_dear)
    PLANS[name] = plan
    return plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown(Generic[Made]):
    """A figure as a page shows it."""

    value: Made | None
    """None while it is being counted for the first time."""
    counted_at: datetime | None = None
    """None where it was counted just now, or never."""
    waits_for: str = ""
    """The key of the row that is to have the value; empty where there is one."""
    failure: str = ""
    """Why it could not be counted the last time."""
    is_counted_anew: bool = False
    """Whether a worker is to count, or counts, a newer value than this one."""

    @property
    def is_counting(self) -> bool:
        """Whether there is nothing to show yet."""
        return bool(self.waits_for)

    @property
    def retry_after(self) -> int:
        """In how many seconds whoever waits for it may ask again."""
        return round(TRY_AGAIN.total_seconds()) if self.failure else 5

    @property
    def of_when(self) -> str:
        """What the name of a file says of it: empty where it was counted just now."""
        return f"-as-of-{self.counted_at:%Y-%m-%dT%H%MZ}" if self.counted_at else ""


def is_live(campaign: Campaign) -> bool:
    """Whether the campaign's figures are counted in the request."""
    return campaign.item_count * campaign.raters_per_item <= LIVE_SUBMISSIONS


def shown_figure(plan: FigurePlan[Made], campaign: Campaign, **arguments: Any) -> Shown[Made]:
    """Of the work as it is now for a small campaign; else as it is kept, and asked for where that
    is old.

    One query for all figures of a large campaign; more where a worker is asked.
    """
    if is_live(campaign):
        return Shown(
            value=_count_once(plan, campaign, arguments)
            if plan.is_dear
            else plan.count(campaign, **arguments)
        )
    read_kept([campaign])
    rows, key = campaign.__dict__[_KEPT], _key(plan, campaign.pk, arguments)
    if key not in rows:
        rows[key] = _ask_first(plan, campaign, arguments)
    return _shown(rows[key])


def _count_once(plan: FigurePlan[Made], campaign: Campaign, arguments: Mapping[str, Any]) -> Made:
    """Counted now, or what this process counted of the same work within an hour."""
    work = plan.work_of(campaign, **arguments)
    key = f"{_key(plan, campaign.pk, arguments)}.{campaign.created_at.timestamp()}.{work}"
    counted = cache.get(key)
    if counted is None:
        value = plan.count(campaign, **arguments)
        cache.set(key, to_plain(value), LIVE_SECONDS)
        return value
    return from_plain(counted)  # type: ignore[no-any-return]  # as the plan made it


def read_kept(campaigns: Sequence[Campaign]) -> None:
    """Read all that is kept of these, once, for `shown_figure`. One query at most."""
    unread = {each.pk: each for each in campaigns if _KEPT not in each.__dict__}
    for campaign in unread.values():
        campaign.__dict__[_KEPT] = {}
    for row in KeptFigure.objects.filter(campaign__in=unread, code=code_digest()) if unread else ():
        unread[row.campaign_id].__dict__[_KEPT][row.key] = row  # type: ignore[index]  # it has one


def shown_figure_of_each(
    plan: FigurePlan[Made], campaigns: Sequence[Campaign]
) -> dict[int, Shown[Made]]:
    """As `shown_figure` of several large campaigns, by campaign. One query, which reads no more."""
    keys = {each.pk: _key(plan, each.pk, {}) for each in campaigns}
    found = KeptFigure.objects.filter(key__in=keys.values()) if keys else ()
    rows = {row.key: row for row in found}
    return {
        each.pk: _shown(rows.get(keys[each.pk]) or _ask_first(plan, each, {})) for each in campaigns
    }


def shown_figure_of_many(plan: FigurePlan[Made], **arguments: Any) -> Shown[Made]:
    """As `shown_figure` of a large campaign; of something that belongs to none. One query."""
    row = KeptFigure.objects.filter(key=_key(plan, None, arguments)).first()
    return _shown(row or _ask_first(plan, None, arguments))


def _shown(row: KeptFigure) -> Shown[Any]:
    is_asked = _is_old(row) and _ask_again(row)
    if row.counted_at is not None:
        try:
            return Shown(
                value=from_plain(row.value),
                counted_at=row.counted_at,
                failure="" if is_asked else row.failure,
                is_counted_anew=is_asked or row.is_open,
            )
        except Unreadable:
            logger.exception("figure %s is counted again", row.pk)
            KeptFigure.objects.filter(pk=row.pk).update(counted_at=None, work="")
            _ask_again(row)
    return Shown(value=None, waits_for=row.key, failure=row.failure)


def _is_old(row: KeptFigure) -> bool:
    if row.is_open:
        return False
    now = timezone.now()
    if row.state == State.FAILED:
        killed = row.lost_leases >= leases.MOST_LOST
        return row.asked_at < now - (REST if killed else TRY_AGAIN)
    patience = max(LEAST_PATIENCE, timedelta(seconds=PATIENCE * row.seconds))
    return row.counted_at is None or row.counted_at < now - patience


def _ask_first(
    plan: FigurePlan[Made], campaign: Campaign | None, arguments: Mapping[str, Any]
) -> KeptFigure:
    row = KeptFigure(
        key=_key(plan, campaign.pk if campaign else None, arguments),
        name=plan.name,
        arguments=arguments,
        code=code_digest(),
        campaign=campaign,
        asked_at=timezone.now(),
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:  # somebody else looked at the same moment
        return KeptFigure.objects.filter(key=row.key).first() or row
    except OperationalError as error:
        logger.warning("figure %s is not asked for: %s", plan.name, error)
        return row
    transaction.on_commit(partial(_send, row.pk))
    return row


def _ask_again(row: KeptFigure) -> bool:
    """Of many who look at once, one has it counted. False where nothing can be written now, as on
    a full disk: the page shows what is kept.
    """
    closed = KeptFigure.objects.filter(pk=row.pk).exclude(state__in=KeptFigure.OPEN)
    try:
        with transaction.atomic():
            is_first = closed.update(
                state=State.QUEUED, asked_at=timezone.now(), failure="", lost_leases=0, **FREE
            )
    except OperationalError as error:
        logger.warning("figure %s is not asked for again: %s", row.pk, error)
        return False
    if is_first:
        transaction.on_commit(partial(_send, row.pk))
    return True


def _send(pk: int) -> None:
    """Tell a worker. A page has many figures, and each would wait seconds for a silent queue."""
    if not cache.get(COUNT_FIGURE) and not queue.send(COUNT_FIGURE, [pk]):
        cache.set(COUNT_FIGURE, "the queue is silent", SILENT_SECONDS)


def _key(plan: FigurePlan[Any], campaign: int | None, arguments: Mapping[str, Any]) -> str:
    said = [plan.name, campaign, sorted(arguments.items()), code_digest()]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


@lru_cache
def code_digest() -> str:
    """Of the program that counts: a figure that another version counted is not read."""
    digest = hashlib.sha256()
    for folder in COUNTING_CODE:
        for path in sorted(Path(settings.BASE_DIR, folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


code_digest()  # at the start: an upgrade may replace the files while this process still runs


# --- In a worker ------------------------------------------------------------------------------


def waiting_figures() -> QuerySet[KeptFigure]:
    """Those to count, by this version of the program."""
    asked = KeptFigure.objects.filter(state__in=KeptFigure.OPEN, code=code_digest())
    return left_to_workers(asked)


def process_figure(pk: int) -> bool:
    """Count it; False if another worker is at it, or nobody wants it any more.

    Safe to call at any time, also after a crash. The row tells how it ended.
    """
    return take_turn(waiting_figures(), pk, _count, set_aside=_set_aside, state=State.COUNTING)


def forget_old_figures() -> None:
    """Remove those that nobody has looked at for `KEPT_DAYS`."""
    KeptFigure.objects.filter(asked_at__lt=timezone.now() - timedelta(days=KEPT_DAYS)).delete()


def _set_aside(row: KeptFigure) -> str:
    fix = (
        "Give the workers more memory; smaller campaigns, and fewer runs in a table, need less. "
        "Whoever looks six hours later has it tried again."
    )
    return leases.set_aside_sentence("this figure", fix=fix)


def _count(row: KeptFigure, mine: QuerySet[KeptFigure], lease: leases.Lease) -> None:
    plan = PLANS[row.name]
    begun, started = timezone.now(), time.perf_counter()
    counted: dict[str, Any] = {}
    work = plan.work_of(row.campaign, **row.arguments)
    if row.counted_at is None or row.work != work:
        counted["value"] = to_plain(plan.count(row.campaign, **row.arguments))
        counted["seconds"] = time.perf_counter() - started
    lease.confirm()
    mine.update(
        state=State.DONE, work=work, counted_at=begun, finished_at=timezone.now(), lost_leases=0,
        **counted, **FREE,
    )  # fmt: skip


def are_open(keys: Sequence[str]) -> bool:
    """Whether one of the rows with these keys is still being counted. One query."""
    return KeptFigure.objects.filter(key__in=keys, state__in=KeptFigure.OPEN).exists()
