"""Find a rater's next item with a free slot, and claim it atomically, under a lease.

An item wants n raters (`items.rater_demand`) and has the slots 1 to n (`items.slots`).
"""

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Exists, F, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from annotation.items.ordering import block_size, block_start, rater_order, rescans_from_start
from annotation.items.slots import LEASE, LockedItem, free_slot, hold, lock_if_free, lock_item
from annotation.models import AdjudicationOpening, Assignment, Campaign, Item, Membership
from annotation.models.assignments import AssignmentQuerySet
from annotation.quality_control import claim_rules
from annotation.raters import consent
from rarrweb.accounts import audit
from rarrweb.accounts.models import User
from rarrweb.web.listing import count_of

TRIES = 50
"""Attempts of a claim that loses races for free slots."""
TRIED_BEFORE_WAITING = 5
"""Items of a block that a claim tries to lock before it waits for one."""


class Reason(enum.StrEnum):
    """Why there is nothing to judge."""

    NO_CAMPAIGN = "no-campaign"
    CLOSED = "closed"
    CONSENT = "consent"
    ALL_DONE = "all-done"
    BEING_JUDGED = "being-judged"
    YOURS_DONE = "yours-done"
    """The user has already had all items that still need raters."""
    PAUSED = claim_rules.ClaimBlock.PAUSED.value
    RETRAIN = claim_rules.ClaimBlock.RETRAIN.value
    OUT_OF_ATTEMPTS = claim_rules.ClaimBlock.OUT_OF_ATTEMPTS.value


@dataclass(frozen=True, slots=True, kw_only=True)
class NoTask:
    """There is nothing to claim now."""

    reason: Reason
    being_judged: int = 0
    """Items that other raters are judging."""
    lease_until: datetime | None = None
    """When the first of their leases ends."""
    campaign: Campaign | None = None
    """The campaign that the reason is about."""


def campaigns_of_rater(user: User) -> QuerySet[Campaign]:
    """Return the campaigns in which the user is a rater, except drafts."""
    return Campaign.objects.exclude(state=Campaign.State.DRAFT).filter(
        Exists(
            Membership.objects.filter(
                campaign=OuterRef("pk"), user_id=user.pk, role=Membership.Role.ANNOTATOR
            )
        )
    )


def assignments_of(user: User, *campaigns: Campaign) -> AssignmentQuerySet:
    """The user's assignments in `campaigns`, oldest first."""
    keys = [each.pk for each in campaigns]
    return Assignment.objects.filter(campaign__in=keys, rater_id=user.pk).order_by("pk")


def preview_next(user: User, *, campaign: Campaign | None = None) -> Assignment | NoTask | None:
    """Return what `claim_next` would resume, None for a new item, or why there is neither.

    Changes nothing. Unlike `claim_next`, it finds neither work that could take a slot again, nor
    training items while no ordinary one is free.
    """
    campaigns, obstacle = _claimable_campaigns(user, campaign, updates_rater=False)
    for assignment in assignments_of(user, *campaigns).in_progress():
        if assignment.is_held:
            return assignment
    if any(_free_items(each, user).exists() for each in campaigns):
        return None
    return obstacle or _no_task(user, campaigns)


def next_campaign(user: User, *, after: Campaign) -> Campaign | None:
    """The oldest other open campaign that has an item for the user."""
    campaigns, _ = _claimable_campaigns(user, None, updates_rater=False)
    in_progress = assignments_of(user, *campaigns).in_progress()
    begun = {each.campaign_id for each in in_progress if each.is_held}
    others = (each for each in campaigns if each.pk != after.pk)
    return next(
        (each for each in others if each.pk in begun or _free_items(each, user).exists()), None
    )


def claim_next(user: User, *, campaign: Campaign | None = None) -> Assignment | NoTask:
    """Resume the user's unfinished assignment, claim a new one, or return why neither works.

    Without `campaign` the user's open campaigns are tried, oldest first.
    """
    campaigns, obstacle = _claimable_campaigns(user, campaign, updates_rater=True)
    claimed = _claim_in_any(campaigns, user)
    if claimed is not None:
        return claimed
    no_task = obstacle or _no_task(user, campaigns)
    if no_task.reason is Reason.YOURS_DONE and any(
        _free_items(each, user).exists() for each in campaigns
    ):
        # A submission since the search has raised the number of raters that an item wants.
        claimed = _claim_in_any(campaigns, user)
    return claimed or no_task


def _claimable_campaigns(
    user: User, campaign: Campaign | None, *, updates_rater: bool
) -> tuple[list[Campaign], NoTask | None]:
    """Return the open campaigns that may assign an item, and the first obstacle in the others.

    With `campaign`, an obstacle in any of `_open_campaigns` blocks all. `updates_rater`: first
    finish the rater's training and begin pauses that are due.
    """
    if campaign is not None and campaign.state not in Campaign.OPEN:
        return [], NoTask(reason=Reason.CLOSED)
    candidates = _open_campaigns(user, campaign)
    if not candidates or (campaign is not None and campaign not in candidates):
        joined = campaigns_of_rater(user)
        if campaign is not None:
            joined = joined.filter(pk=campaign.pk)
        return [], NoTask(reason=Reason.CLOSED if joined.exists() else Reason.NO_CAMPAIGN)
    no_consent = consent.missing_in(user, candidates)
    agreed = [each for each in candidates if each.pk not in no_consent]
    if updates_rater:
        claim_rules.update_rater(user, agreed)
    blocks = claim_rules.claim_blocks(user, agreed)
    obstacles = [
        NoTask(reason=Reason.CONSENT, campaign=each) for each in candidates if each.pk in no_consent
    ]
    obstacles += [
        NoTask(reason=Reason(blocks[each.pk]), campaign=each)
        for each in agreed
        if each.pk in blocks
    ]
    if campaign is not None and obstacles:
        return [], obstacles[0]
    return [each for each in agreed if each.pk not in blocks], next(iter(obstacles), None)


def _open_campaigns(user: User, campaign: Campaign | None) -> list[Campaign]:
    """The user's open campaigns, oldest first.

    With `campaign`, only it, the campaign that it follows and those that follow it; campaigns that
    follow another come last.
    """
    opened = campaigns_of_rater(user).filter(state__in=Campaign.OPEN).select_related("checks")
    opened = opened.order_by("created_at", "pk")
    if campaign is None:
        return list(opened)
    tied = opened.filter(Q(pk__in=[campaign.pk, campaign.follows_id]) | Q(follows=campaign.pk))
    return sorted(tied, key=lambda each: each.follows_id is not None)


def _claim_in_any(campaigns: list[Campaign], user: User) -> Assignment | None:
    """Resume work in `campaigns`, else claim a follow-up of a judgment, else any item."""
    searches = [(each, _lock_follow_up) for each in campaigns if _follow_ups(each, user).exists()]
    searches += [(each, _lock_next) for each in campaigns]
    for campaign, search in searches:
        claimed = _claim_in(campaign, user, search=search, resumable=campaigns)
        if claimed is not None:
            return claimed
    return None


def _claim_in(
    campaign: Campaign,
    user: User,
    *,
    search: Callable[[Campaign, User], LockedItem | None],
    resumable: list[Campaign],
) -> Assignment | None:
    """Resume work, else assign a training or gold item, else the item that `search` locks."""
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                if not _lock_rater(user, campaign):
                    return None
                resumed = _resume(user, resumable)
                if resumed is not None:
                    return resumed
                training = claim_rules.next_training_item(campaign, user)
                if training is not None:
                    return _assign(campaign, training.pk, user, purpose=Item.Use.TRAINING)
                locked = search(campaign, user)
                if locked is None:
                    return None
                # A rater gets gold only while an ordinary item is free.
                gold = claim_rules.next_gold_item(campaign, user)
                if gold is not None:
                    return _assign(campaign, gold.pk, user, purpose=Item.Use.GOLD)
                slot = free_slot(locked)
                if slot is None:
                    continue  # another claim took it between the search and the lock
                return _assign(campaign, locked.item, user, slot=slot)
        except IntegrityError:
            continue  # another claim took the slot
    return None


def _lock_rater(user: User, campaign: Campaign) -> bool:
    """Lock the membership; return whether the user may judge and agreed to the consent text.

    A claim in a second tab waits for the lock and then resumes this one's item. Inserting rows that
    refer to the membership need not wait (`no_key`).
    """
    rows = Membership.objects.filter(
        campaign=campaign, user=user, role=Membership.Role.ANNOTATOR
    ).select_for_update(no_key=True)
    return bool(list(rows)) and not consent.is_missing(user, campaign)


def _resume(user: User, campaigns: list[Campaign]) -> Assignment | None:
    """Return the oldest unfinished assignment that the user may work on, with a renewed lease."""
    in_progress = assignments_of(user, *campaigns).in_progress()
    return next((each for each in in_progress if hold(each)), None)


def _assign(
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


def _lock_follow_up(campaign: Campaign, user: User) -> LockedItem | None:
    item = _follow_ups(campaign, user).first()
    return None if item is None else lock_item(item.pk)


def _lock_next(campaign: Campaign, user: User) -> LockedItem | None:
    """Lock the next item with a free slot in the rater's own order (`items.ordering`).

    To be fast, search from the block of the user's last item on. Search all items if nothing is
    left there, and from time to time anyway (`rescans_from_start`), so that no item waits long.
    """
    # Gold and training items have no part in the order.
    claimed = assignments_of(user, campaign).filter(purpose="", item__phase=campaign.state)
    last = claimed.values_list("item__position", flat=True).last()
    if last is not None and not rescans_from_start(last):
        locked = _lock_first(campaign, user, start=block_start(campaign, last))
        if locked is not None:
            return locked
    return _lock_first(campaign, user, start=0)


def _lock_first(campaign: Campaign, user: User, *, start: int) -> LockedItem | None:
    """Lock the rater's first free item in the first block from `start` on that has any."""
    size = block_size(campaign)
    free = _free_items(campaign, user).filter(position__gte=start)
    ids = dict(free.values_list("position", "pk")[:size])
    if not ids:
        return None
    block_end = block_start(campaign, min(ids)) + size
    order = rater_order(campaign, user, [position for position in ids if position < block_end])
    if connection.features.has_select_for_update_skip_locked:
        for position in order[:TRIED_BEFORE_WAITING]:
            locked = lock_if_free(ids[position])
            if locked is not None:
                return locked
    # Other claims have locked the first free items: wait. SQLite has locked the database already.
    return lock_item(ids[order[0]])


def _free_items(campaign: Campaign, user: User) -> QuerySet[Item]:
    """Items of the campaign's phase with a free slot for the user, by position.

    Excludes training and gold items, which never want more raters.
    """
    slots = Assignment.objects.filter(slot__isnull=False)
    taken = slots.filter(Q(submitted_at__isnull=False) | Q(lease_until__gt=timezone.now()))
    items = Item.objects.filter(campaign=campaign, phase=campaign.state, done__lt=F("wanted"))
    free = items.filter(wanted__gt=count_of(taken, "item"))
    return _not_seen(free, user, campaign).order_by("position")


def _follow_ups(campaign: Campaign, user: User) -> QuerySet[Item]:
    """Free items of revisions that the user has judged in the campaign that this one follows.

    If that campaign judges both sides, its items before revision do not count.
    """
    if campaign.follows_id is None:
        return Item.objects.none()
    done = Assignment.objects.submitted().filter(
        rater=user, campaign=campaign.follows_id, purpose=""
    )
    judged = Item.objects.filter(
        Q(pk__in=done.values("item")) | Q(shared_with__in=done.values("item"))
    ).exclude(side=Item.Side.BEFORE, campaign__sides=Campaign.Side.BOTH)
    of_judged = Item.objects.filter(
        Q(pk=OuterRef("pk")) | Q(shared_with=OuterRef("pk")), revision__in=judged.values("revision")
    )
    return _free_items(campaign, user).filter(Exists(of_judged))


def _not_seen(items: QuerySet[Item], user: User, *campaigns: Campaign) -> QuerySet[Item]:
    """Exclude items that the user was assigned, or opened as an adjudicator.

    If the campaign shows a rater each passage once, exclude the passages' other items, too.
    """
    assigned = Assignment.objects.filter(item=OuterRef("pk"), rater_id=user.pk)
    opened = AdjudicationOpening.objects.filter(item=OuterRef("pk"), user_id=user.pk)
    items = items.exclude(Exists(assigned)).exclude(Exists(opened))
    limited = [each.pk for each in campaigns if each.one_item_per_passage]
    if not limited:
        return items
    of_passage = Item.objects.filter(
        Exists(assigned), campaign=OuterRef("campaign"), passage=OuterRef("passage")
    )
    return items.exclude(Exists(of_passage), campaign__in=limited)


def count_left(user: User, campaigns: Iterable[Campaign]) -> dict[int, int]:
    """Return how many new items each campaign that has some may give the user, now or later."""
    given = list(campaigns)
    limited = {each.pk for each in given if each.one_item_per_passage}
    unseen = _not_seen(_unfinished(given), user, *given).order_by().values_list("campaign")
    counts = unseen.annotate(Count("pk"), Count("passage", distinct=True))
    return {
        campaign: passages if campaign in limited else items for campaign, items, passages in counts
    }


def _unfinished(campaigns: Sequence[Campaign]) -> QuerySet[Item]:
    return Item.objects.filter(
        campaign__in=campaigns, phase=F("campaign__state"), done__lt=F("wanted")
    )


def _no_task(user: User, campaigns: list[Campaign]) -> NoTask:
    """Find out why no item is free."""
    unfinished = _unfinished(campaigns)
    if not unfinished.exists():
        return NoTask(reason=Reason.ALL_DONE)
    others = Assignment.objects.filter(
        item__in=_not_seen(unfinished, user, *campaigns).values("pk"),
        slot__isnull=False,
        submitted_at=None,
        lease_until__gt=timezone.now(),
    ).aggregate(being_judged=Count("item", distinct=True), lease_until=Min("lease_until"))
    if not others["being_judged"]:
        return NoTask(reason=Reason.YOURS_DONE)
    return NoTask(reason=Reason.BEING_JUDGED, **others)
