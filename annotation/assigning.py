"""Who judges what next: an item with a free slot, claimed atomically, under a lease.

An item wants n raters (`annotation.counters`), and has the slots 1..n (`annotation.slots`).
"""

import enum
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Exists, F, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation import checks, consent
from annotation.models import Assignment, Campaign, Item, Membership
from annotation.orders import block_size, block_start, looks_back, own_order
from annotation.slots import LEASE, Place, free_slot, hold, lock_if_free, lock_item
from rarrweb.accounts.models import User
from rarrweb.prepared import Prepared

# A claim can lose a race on the unique slot; each further try sees the winner's row.
TRIES = 50
TRIED_AT_ONCE = 5
"""Items of a block that a claim tries to lock before it waits for one."""


class Why(enum.StrEnum):
    """Why there is nothing to judge."""

    NO_CAMPAIGN = "no-campaign"
    CLOSED = "closed"
    CONSENT = "consent"
    ALL_DONE = "all-done"
    HELD = "held"
    YOURS_DONE = "yours-done"
    PAUSED = checks.Stop.PAUSED.value
    TRY_AGAIN = checks.Stop.TRY_AGAIN.value
    NOT_PASSED = checks.Stop.NOT_PASSED.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """That there is nothing to claim now, and why."""

    why: Why
    held: int = 0
    """Items that other raters are judging at this moment."""
    held_until: datetime | None = None
    """When the first of them comes free if its rater does not go on."""
    campaign: Campaign | None = None
    """The one that waits for the user's consent, or stops the user for now."""


def judged_by(user: User) -> QuerySet[Campaign]:
    """The campaigns in which the user is an annotator; of drafts a rater knows nothing."""
    return Campaign.objects.exclude(state=Campaign.State.DRAFT).filter(
        Exists(
            Membership.objects.filter(
                campaign=OuterRef("pk"), user_id=user.pk, role=Membership.Role.ANNOTATOR
            )
        )
    )


def own_assignments(user: User, *campaigns: Campaign) -> QuerySet[Assignment]:
    """The user's assignments in `campaigns`, in the order they were claimed."""
    keys = [each.pk for each in campaigns]
    return Assignment.objects.filter(campaign__in=keys, rater_id=user.pk).order_by("pk")


def claim_next(user: User, *, campaign: Campaign | None = None) -> Assignment | Nothing:
    """The user's unfinished assignment, or else a new one; both with a fresh lease.

    Without `campaign`, the user's open campaigns are tried, oldest first.
    """
    if campaign is not None and campaign.state not in Campaign.OPEN:
        return Nothing(why=Why.CLOSED)
    open_ones = _open_to(user) if campaign is None else [campaign]
    if campaign is not None and not _annotates(user.pk, campaign.pk):
        return Nothing(why=Why.NO_CAMPAIGN)
    if not open_ones:
        return Nothing(why=Why.CLOSED if judged_by(user).exists() else Why.NO_CAMPAIGN)
    asked = consent.unanswered(user, open_ones)
    if len(asked) == len(open_ones):
        return Nothing(why=Why.CONSENT, campaign=open_ones[0])
    waiting = [each for each in open_ones if each.pk in asked]
    open_ones = [each for each in open_ones if each.pk not in asked]
    stops = checks.stops(user, open_ones)
    stopped = [each for each in open_ones if each.pk in stops]
    open_ones = [each for each in open_ones if each.pk not in stops]
    if len(open_ones) > 1:  # of one, the claim itself resumes
        resumed = _resume(user, open_ones)
        if resumed is not None:
            return resumed
    claimed = _claim_in_any(open_ones, user)
    if claimed is not None:
        return claimed
    if waiting:
        return Nothing(why=Why.CONSENT, campaign=waiting[0])
    if stopped:
        return Nothing(why=Why(stops[stopped[0].pk]), campaign=stopped[0])
    nothing = _why_none(user, open_ones)
    if nothing.why is Why.YOURS_DONE and any(_free_items(c, user).exists() for c in open_ones):
        # A rater handed in since the search, and left an item that wants one rater more.
        return _claim_in_any(open_ones, user) or nothing
    return nothing


def _claim_in_any(campaigns: list[Campaign], user: User) -> Assignment | None:
    for each in campaigns:
        claimed = _claim_in(each, user)
        if claimed is not None:
            return claimed
    return None


def _open_to(user: User) -> list[Campaign]:
    opened = judged_by(user).filter(state__in=Campaign.OPEN).select_related("checks")
    return list(opened.order_by("created_at", "pk"))


_annotates = Prepared(
    lambda user, campaign: Membership.objects.filter(
        campaign=campaign, user=user, role=Membership.Role.ANNOTATOR
    ).values_list("pk")
)
# No-key locks: others' foreign keys to the row are checked without waiting.
_lock_member = Prepared(
    lambda user, campaign: (
        Membership.objects.select_for_update(no_key=True)
        .filter(campaign=campaign, user=user, role=Membership.Role.ANNOTATOR)
        .values_list("pk")
    )
)
# Of all campaigns: the few that are not handed in then come from an index of their own.
_in_hand = Prepared(
    lambda user: (
        Assignment.objects.filter(rater=user).in_hand().order_by().values_list("campaign_id")
    )
)


def _resume(user: User, campaigns: list[Campaign]) -> Assignment | None:
    begun = {campaign for (campaign,) in _in_hand(user.pk)}
    if begun.isdisjoint(each.pk for each in campaigns):
        return None  # as nearly always, and told without building the query below
    unfinished = own_assignments(user, *campaigns).in_hand()
    for assignment in unfinished.select_related("item__campaign").order_by("pk"):
        with transaction.atomic(savepoint=False):
            # One whose slot went to another rater waits, with its answers, behind "Previous".
            if hold(assignment):
                return assignment
    return None


def _claim_in(campaign: Campaign, user: User) -> Assignment | None:
    """A new assignment in `campaign`; None when no item has a slot for this user."""
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                # One claim at a time for one person: a second tab waits here, then resumes.
                if not _lock_member(user.pk, campaign.pk):
                    return None
                resumed = _resume(user, [campaign])
                if resumed is not None:
                    return resumed
                training = checks.before_others(campaign, user)
                if training is not None:
                    return _hand_out(campaign, training.pk, user, purpose=Item.Use.TRAINING)
                place = _next_place(campaign, user)
                if place is None:
                    return None
                gold = checks.in_place_of(campaign, user)
                if gold is not None:
                    return _hand_out(campaign, gold.pk, user, purpose=Item.Use.GOLD)
                slot = free_slot(place)
                if slot is None:
                    continue  # somebody took it between the search and the lock
                return _hand_out(campaign, place.item, user, slot=slot)
        except IntegrityError:
            continue
    return None


def _hand_out(
    campaign: Campaign, item: int, user: User, *, slot: int | None = None, purpose: str = ""
) -> Assignment:
    now = timezone.now()
    return Assignment.objects.create(
        item_id=item,
        campaign=campaign,
        rater=user,
        slot=slot,
        purpose=purpose,
        claimed_at=now,
        lease_until=now + LEASE,
    )


def _next_place(campaign: Campaign, user: User) -> Place | None:
    """The next item with a free slot, locked; in the rater's own order (`annotation.orders`).

    The search goes on from the block of the user's last item, which keeps it short. What has
    come free behind it is found when nothing is left ahead, and now and then before that, so
    that an item that waits for its last rater does not wait for the end.
    """
    last = last_position(campaign, user)
    if last is not None and not looks_back(last):
        ahead = _lock_first(campaign, user, start=block_start(campaign, last))
        if ahead is not None:
            return ahead
    return _lock_first(campaign, user, start=0)


def last_position(campaign: Campaign, user: User) -> int | None:
    """Where the user's last item of the campaign's phase stands; None before the first."""
    found = _last_position(user.pk, campaign.pk, campaign.state)
    return found[0][0] if found else None


# A gold item stands anywhere: it says nothing of how far the user is.
_last_position = Prepared(
    lambda user, campaign, phase: (
        own_assignments(User(pk=user), Campaign(pk=campaign))
        .filter(item__phase=phase, purpose="")
        .order_by("-pk")
        .values_list("item__position")[:1]
    )
)


def _free_items(campaign: Campaign, user: User, *, now: datetime | None = None) -> QuerySet[Item]:
    slots = Assignment.objects.filter(item=OuterRef("pk"), slot__isnull=False)
    now = now or timezone.now()
    holding = slots.filter(Q(submitted_at__isnull=False) | Q(lease_until__gt=now))
    items = _not_seen(Item.objects.filter(campaign=campaign), user, campaign)
    return (
        items.filter(phase=campaign.state, done__lt=F("wanted"))
        .annotate(held=_count(holding))
        .filter(held__lt=F("wanted"))
        .order_by("position")
    )


def _not_seen(items: QuerySet[Item], user: User, *campaigns: Campaign) -> QuerySet[Item]:
    """Without what the user has had, and, unless the campaign allows it, without other items of
    its passages: the other side, or what another system made of them."""
    had = Assignment.objects.filter(item=OuterRef("pk"), rater_id=user.pk)
    items = items.exclude(Exists(had))
    once = [each.pk for each in campaigns if each.has_passages_apart]
    if not once:
        return items
    same = Item.objects.filter(
        Exists(had), campaign=OuterRef("campaign"), passage=OuterRef("passage")
    )
    return items.exclude(Exists(same), campaign__in=once)


def _count(assignments: QuerySet[Assignment]) -> Coalesce:
    """How many of an outer item's assignments there are, as a subquery."""
    counted = assignments.order_by().values("item").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)


@cache
def _free_from(size: int, *, passages_apart: bool) -> Prepared:
    """The first `size` free items from a position on: (position, id)."""

    def build(
        campaign: int, user: int, phase: str, now: datetime, start: int
    ) -> QuerySet[Item, tuple[int, int]]:
        same = Campaign(
            pk=campaign,
            state=phase,
            items_per_passage=2,
            may_repeat_passages=not passages_apart,
        )
        items = _free_items(same, User(pk=user), now=now).filter(position__gte=start)
        return items.values_list("position", "pk")[:size]

    return Prepared(build)


def _lock_first(campaign: Campaign, user: User, *, start: int) -> Place | None:
    """Of the first block of free items from `start` on the one that is first in the user's order,
    locked."""
    size = block_size(campaign)
    free = _free_from(size, passages_apart=campaign.has_passages_apart)
    found = free(campaign.pk, user.pk, campaign.state, timezone.now(), start)
    if not found:
        return None
    first = block_start(campaign, found[0][0])
    keys = dict(each for each in found if each[0] < first + size)
    order = own_order(campaign, user, keys)
    if connection.features.has_select_for_update_skip_locked:
        for position in order[:TRIED_AT_ONCE]:
            place = lock_if_free(keys[position])
            if place is not None:
                return place
    # SQLite: the transaction began with the write lock. Elsewhere other claims have locked what
    # is free just now: then wait for one of them.
    return lock_item(keys[order[0]])


def _why_none(user: User, campaigns: list[Campaign]) -> Nothing:
    unfinished = Item.objects.filter(
        campaign__in=campaigns, phase=F("campaign__state"), done__lt=F("wanted")
    )
    if not unfinished.exists():
        return Nothing(why=Why.ALL_DONE)
    open_to_user = _not_seen(unfinished, user, *campaigns)
    running = Assignment.objects.filter(
        item__in=open_to_user.values("pk"),
        slot__isnull=False,
        submitted_at=None,
        lease_until__gt=timezone.now(),
    ).aggregate(held=Count("item", distinct=True), until=Min("lease_until"))
    if not running["held"]:
        return Nothing(why=Why.YOURS_DONE)
    return Nothing(why=Why.HELD, held=running["held"], held_until=running["until"])
