"""Which item a rater judges next: one with a free slot, claimed atomically, under a lease.

An item wants n raters (`items.rater_demand`) and has the slots 1 to n (`items.slots`).
"""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Exists, F, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from annotation.items.ordering import block_size, block_start, rater_order, rescans_from_start
from annotation.items.slots import LEASE, LockedItem, free_slot, hold, lock_if_free, lock_item
from annotation.models import (
    AdjudicationOpening,
    Assignment,
    Campaign,
    Item,
    Membership,
)
from annotation.models.assignments import AssignmentQuerySet
from annotation.quality_control import claim_rules
from annotation.raters import consent
from rarrweb.accounts import audit
from rarrweb.accounts.models import User
from rarrweb.web.subqueries import count_of

# A claim can lose a race on the unique slot; each further try sees the winner's row.
TRIES = 50
TRIED_AT_ONCE = 5
"""Items of a block that a claim tries to lock before it waits for one."""


class Reason(enum.StrEnum):
    """Why there is nothing to judge."""

    NO_CAMPAIGN = "no-campaign"
    CLOSED = "closed"
    CONSENT = "consent"
    ALL_DONE = "all-done"
    HELD = "held"
    YOURS_DONE = "yours-done"
    PAUSED = claim_rules.ClaimBlock.PAUSED.value
    TRY_AGAIN = claim_rules.ClaimBlock.TRY_AGAIN.value
    NOT_PASSED = claim_rules.ClaimBlock.NOT_PASSED.value


@dataclass(frozen=True, slots=True, kw_only=True)
class NoTask:
    """There is nothing to claim now."""

    reason: Reason
    held: int = 0
    """Items that other raters are judging at this moment."""
    held_until: datetime | None = None
    """When the first of them comes free if its rater does not go on."""
    campaign: Campaign | None = None
    """The one that waits for the user's consent, or stops the user for now."""


def judged_by(user: User) -> QuerySet[Campaign]:
    """Campaigns with the user as annotator, without drafts."""
    return Campaign.objects.exclude(state=Campaign.State.DRAFT).filter(
        Exists(
            Membership.objects.filter(
                campaign=OuterRef("pk"), user_id=user.pk, role=Membership.Role.ANNOTATOR
            )
        )
    )


def assignments_of(user: User, *campaigns: Campaign) -> AssignmentQuerySet:
    """The user's assignments in `campaigns`, in the order of claiming."""
    keys = [each.pk for each in campaigns]
    return Assignment.objects.filter(campaign__in=keys, rater_id=user.pk).order_by("pk")


def next_task_of(user: User, *, campaign: Campaign | None = None) -> Assignment | NoTask | None:
    """Return the unfinished assignment, None for an item to claim, or why there is none.

    Changes nothing. `claim_next` may also find an item whose slot the user lost and that is
    free again, or a training item while other raters hold all ordinary ones.
    """
    open_ones, stop = _may_claim_in(user, campaign, settles=False)
    for assignment in _begun(user, open_ones):
        if assignment.is_held:
            return assignment
    if any(_free_items(each, user) for each in open_ones):
        return None
    return stop or _no_task(user, open_ones)


def next_campaign(user: User, *, after: Campaign) -> Campaign | None:
    """The oldest other open campaign that has an item for the user."""
    open_ones, _ = _may_claim_in(user, None, settles=False)
    begun = {each.campaign_id for each in _begun(user, open_ones) if each.is_held}
    others = (each for each in open_ones if each.pk != after.pk)
    return next((each for each in others if each.pk in begun or _free_items(each, user)), None)


def claim_next(user: User, *, campaign: Campaign | None = None) -> Assignment | NoTask:
    """Return the user's unfinished assignment, or a new one, with a renewed lease.

    Without `campaign` the user's open campaigns are tried, oldest first.
    """
    open_ones, stop = _may_claim_in(user, campaign, settles=True)
    claimed = _claim_in_any(open_ones, user)
    if claimed is not None:
        return claimed
    nothing = stop or _no_task(user, open_ones)
    if nothing.reason is Reason.YOURS_DONE and any(_free_items(each, user) for each in open_ones):
        # A rater handed in since the search, and left an item that wants one rater more.
        return _claim_in_any(open_ones, user) or nothing
    return nothing


def _may_claim_in(
    user: User, campaign: Campaign | None, *, settles: bool
) -> tuple[list[Campaign], NoTask | None]:
    """The open campaigns that may assign an item now, and the first reason against the others.

    `settles`: also end training and begin pauses that are due.
    """
    if campaign is not None and campaign.state not in Campaign.OPEN:
        return [], NoTask(reason=Reason.CLOSED)
    open_ones = _open_to(user, campaign)
    if not open_ones or (campaign is not None and campaign not in open_ones):
        judged = judged_by(user) if campaign is None else judged_by(user).filter(pk=campaign.pk)
        return [], NoTask(reason=Reason.CLOSED if judged.exists() else Reason.NO_CAMPAIGN)
    unanswered = consent.unanswered(user, open_ones)
    agreed = [each for each in open_ones if each.pk not in unanswered]
    if settles:
        claim_rules.update_rater(user, agreed)
    stops = claim_rules.claim_blocks(user, agreed)
    waiting = [
        NoTask(reason=Reason.CONSENT, campaign=each) for each in open_ones if each.pk in unanswered
    ]
    stopped = [
        NoTask(reason=Reason(stops[each.pk]), campaign=each) for each in agreed if each.pk in stops
    ]
    stop = next(iter(waiting + stopped), None)
    if campaign is not None and stop is not None:
        return [], stop  # of campaigns in succession none goes on without the other
    return [each for each in agreed if each.pk not in stops], stop


def _follow_ups(campaign: Campaign, user: User) -> QuerySet[Item]:
    """Items with a free slot whose passage the user has judged in the campaign that this follows.

    Only revised sides count where that campaign judges both.
    """
    if campaign.follows_id is None:
        return Item.objects.none()
    judged = Assignment.objects.submitted().filter(
        rater=user, campaign=campaign.follows_id, purpose="", item__revision=OuterRef("revision")
    )
    judged = judged.exclude(item__side=Item.Side.BEFORE, item__campaign__sides=Campaign.Side.BOTH)
    waiting = Item.objects.filter(
        Exists(judged), campaign=campaign, phase=campaign.state, done__lt=F("wanted")
    )
    is_over = Q(submitted_at=None, lease_until__lte=timezone.now())
    held = count_of(Assignment.objects.filter(slot__isnull=False).exclude(is_over), "item")
    waiting = waiting.alias(held=held).filter(held__lt=F("wanted"))
    return _not_seen(waiting, user, campaign).order_by("position")


def _claim_in_any(campaigns: list[Campaign], user: User) -> Assignment | None:
    """Resume work in `campaigns`, else claim a follow-up of an earlier judgment, else any item."""
    ways = [(each, _next_follow_up) for each in campaigns if _follow_ups(each, user).exists()]
    for campaign, find in [*ways, *((each, _next_item) for each in campaigns)]:
        claimed = _claim_in(campaign, user, find=find, resumes=campaigns)
        if claimed is not None:
            return claimed
    return None


def _open_to(user: User, campaign: Campaign | None) -> list[Campaign]:
    """The user's open campaigns, oldest first, or `campaign` and those in succession with it."""
    opened = judged_by(user).filter(state__in=Campaign.OPEN).select_related("checks")
    opened = opened.order_by("created_at", "pk")
    if campaign is None:
        return list(opened)
    tied = opened.filter(Q(pk__in=[campaign.pk, campaign.follows_id]) | Q(follows=campaign.pk))
    return sorted(tied, key=lambda each: each.follows_id is not None)


def _memberships(user: User, campaign: Campaign) -> QuerySet[Membership]:
    return Membership.objects.filter(campaign=campaign, user=user, role=Membership.Role.ANNOTATOR)


def _lock_rater(user: User, campaign: Campaign) -> bool:
    """Lock the membership; return whether the user may still judge and agrees to the text."""
    locked = list(_memberships(user, campaign).select_for_update(no_key=True))
    return bool(locked) and not consent.is_missing(user, campaign)


def _begun(user: User, campaigns: list[Campaign]) -> AssignmentQuerySet:
    """The user's unfinished assignments, oldest first."""
    begun = Assignment.objects.filter(rater=user, campaign__in=[each.pk for each in campaigns])
    return begun.in_progress().order_by("pk")


def _resume(user: User, campaigns: list[Campaign]) -> Assignment | None:
    for assignment in _begun(user, campaigns):
        with transaction.atomic(savepoint=False):
            # One whose slot went to another rater waits, with its answers, behind "Previous".
            if hold(assignment):
                return assignment
    return None


def _claim_in(
    campaign: Campaign,
    user: User,
    *,
    find: Callable[[Campaign, User], LockedItem | None],
    resumes: list[Campaign],
) -> Assignment | None:
    """Resume work in `resumes`, else assign a check or the item that `find` locks."""
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                # One claim at a time for one person: a second tab waits here, then resumes.
                # A no-key lock: others' foreign keys to the row are checked without waiting.
                if not _lock_rater(user, campaign):
                    return None
                resumed = _resume(user, resumes)
                if resumed is not None:
                    return resumed
                training = claim_rules.next_training_item(campaign, user)
                if training is not None:
                    return _hand_out(campaign, training.pk, user, purpose=Item.Use.TRAINING)
                index = find(campaign, user)
                if index is None:
                    return None
                gold = claim_rules.next_gold_item(campaign, user)
                if gold is not None:
                    return _hand_out(campaign, gold.pk, user, purpose=Item.Use.GOLD)
                slot = free_slot(index)
                if slot is None:
                    continue  # somebody took it between the search and the lock
                return _hand_out(campaign, index.item, user, slot=slot)
        except IntegrityError:
            continue
    return None


def _hand_out(
    campaign: Campaign, item: int, user: User, *, slot: int | None = None, purpose: str = ""
) -> Assignment:
    now = timezone.now()
    claimed = Assignment.objects.create(
        item_id=item,
        campaign=campaign,
        rater=user,
        slot=slot,
        purpose=purpose,
        claimed_at=now,
        lease_until=now + LEASE,
    )
    audit.record("claimed", claimed, by=user)
    return claimed


def _next_item(campaign: Campaign, user: User) -> LockedItem | None:
    """Lock the next item with a free slot in the rater's own order (`items.ordering`).

    The search starts at the block of the user's last item, to keep it short. Earlier items are
    searched when nothing is left ahead, and now and then before, so that none waits for the
    end.
    """
    claimed = Assignment.objects.filter(
        # Not gold items: they are anywhere.
        campaign=campaign,
        rater=user.pk,
        purpose="",
        item__phase=campaign.state,
    )
    last = claimed.order_by("-pk").values_list("item__position", flat=True).first()
    if last is not None and not rescans_from_start(last):
        ahead = _lock_first(campaign, user, start=block_start(campaign, last))
        if ahead is not None:
            return ahead
    return _lock_first(campaign, user, start=0)


def _next_follow_up(campaign: Campaign, user: User) -> LockedItem | None:
    item = _follow_ups(campaign, user).first()
    return None if item is None else lock_item(item.pk)


def _free_items(
    campaign: Campaign, user: User, *, start: int = 0, most: int = 1
) -> list[tuple[int, int]]:
    """(position, id) of the first items from `start` on with a free slot for the user."""
    items = Item.objects.filter(
        campaign=campaign, phase=campaign.state, position__gte=start, done__lt=F("wanted")
    )
    slots = Assignment.objects.filter(item=OuterRef("pk"), slot__isnull=False)
    held = slots.filter(Q(submitted_at__isnull=False) | Q(lease_until__gt=timezone.now()))
    free = _not_seen(items, user, campaign).filter(wanted__gt=count_of(held, "item"))
    return list(free.order_by("position").values_list("position", "pk")[:most])


def _not_seen(items: QuerySet[Item], user: User, *campaigns: Campaign) -> QuerySet[Item]:
    """Exclude what the user has had or opened as an adjudicator.

    Also other items of the same passages, where the campaign has one item per passage.
    """
    had = Assignment.objects.filter(item=OuterRef("pk"), rater_id=user.pk)
    opened = AdjudicationOpening.objects.filter(item=OuterRef("pk"), user_id=user.pk)
    items = items.exclude(Exists(had)).exclude(Exists(opened))
    once = [each.pk for each in campaigns if each.one_item_per_passage]
    if not once:
        return items
    same = Item.objects.filter(
        Exists(had), campaign=OuterRef("campaign"), passage=OuterRef("passage")
    )
    return items.exclude(Exists(same), campaign__in=once)


def _lock_first(campaign: Campaign, user: User, *, start: int) -> LockedItem | None:
    """Lock the user's first item of the first block with free items from `start` on."""
    size = block_size(campaign)
    result = _free_items(campaign, user, start=start, most=size)
    if not result:
        return None
    first = block_start(campaign, result[0][0])
    keys = dict(each for each in result if each[0] < first + size)
    order = rater_order(campaign, user, keys)
    if connection.features.has_select_for_update_skip_locked:
        for position in order[:TRIED_AT_ONCE]:
            index = lock_if_free(keys[position])
            if index is not None:
                return index
    # SQLite: the transaction began with the write lock. Elsewhere other claims have locked what
    # is free just now: then wait for one of them.
    return lock_item(keys[order[0]])


def _no_task(user: User, campaigns: list[Campaign]) -> NoTask:
    unfinished = Item.objects.filter(
        campaign__in=campaigns, phase=F("campaign__state"), done__lt=F("wanted")
    )
    if not unfinished.exists():
        return NoTask(reason=Reason.ALL_DONE)
    open_to_user = _not_seen(unfinished, user, *campaigns)
    running = Assignment.objects.filter(
        item__in=open_to_user.values("pk"),
        slot__isnull=False,
        submitted_at=None,
        lease_until__gt=timezone.now(),
    ).aggregate(held=Count("item", distinct=True), until=Min("lease_until"))
    if not running["held"]:
        return NoTask(reason=Reason.YOURS_DONE)
    return NoTask(reason=Reason.HELD, held=running["held"], held_until=running["until"])
