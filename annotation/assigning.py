"""Who judges what next: an item with a free slot, claimed atomically, under a lease.

An item wants n raters (`annotation.counters`), and has the slots 1..n. A slot is held by a
submitted assignment for good, and by an unsubmitted one for as long as its lease runs. There
is no sweeper: whether a lease has run out is asked at the moment somebody else wants the slot.
"""

import enum
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Exists, F, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation import checks, consent
from annotation.models import Assignment, Campaign, Item, Membership
from annotation.orders import block_size, block_start, has_sides_apart, looks_back, own_order
from rarrweb.accounts.models import User
from rarrweb.prepared import Prepared

LEASE = timedelta(minutes=30)

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
    for each in open_ones:
        claimed = _claim_in(each, user)
        if claimed is not None:
            return claimed
    if waiting:
        return Nothing(why=Why.CONSENT, campaign=waiting[0])
    if stopped:
        return Nothing(why=Why(stops[stopped[0].pk]), campaign=stopped[0])
    return _why_none(user, open_ones)


def _open_to(user: User) -> list[Campaign]:
    opened = judged_by(user).filter(state__in=Campaign.OPEN).select_related("checks")
    return list(opened.order_by("created_at", "pk"))


_annotates = Prepared(
    lambda user, campaign: Membership.objects.filter(
        campaign=campaign, user=user, role=Membership.Role.ANNOTATOR
    ).values_list("pk")
)
# Of all campaigns: the few that are not handed in then come from an index of their own.
_in_hand = Prepared(
    lambda user: (
        Assignment.objects.filter(rater=user).in_hand().order_by().values_list("campaign_id")
    )
)


def hold(assignment: Assignment) -> bool:
    """Renew the lease, and take a slot back if there is one; whether a slot is now held.

    Call it inside a transaction. It changes `assignment` to what the row then holds. What was
    skipped or released holds no slot until that is taken back; what trains or checks its rater
    needs none.
    """
    rows = Assignment.objects.filter(pk=assignment.pk, skipped_at=None, released_at=None)
    # What was sent back has days; its rater's clicks do not shorten them.
    assignment.lease_until = max(assignment.lease_until, timezone.now() + LEASE)
    if assignment.purpose:
        return bool(rows.update(lease_until=assignment.lease_until))
    # Conditional: a claim at this very moment may be giving the slot to somebody else.
    if not rows.filter(slot__isnull=False).update(lease_until=assignment.lease_until):
        item = _locked(assignment.item_id)
        assignment.slot = _free_slot(item) if rows.exists() else None
        if not rows.update(slot=assignment.slot, lease_until=assignment.lease_until):
            assignment.slot = None
    elif assignment.slot is None:
        assignment.slot = rows.values_list("slot", flat=True).get()
    return assignment.slot is not None


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
                member = Membership.objects.select_for_update(no_key=True).filter(
                    campaign=campaign, user_id=user.pk, role=Membership.Role.ANNOTATOR
                )
                if member.first() is None:
                    return None
                resumed = _resume(user, [campaign])
                if resumed is not None:
                    return resumed
                training = checks.before_others(campaign, user)
                if training is not None:
                    return _hand_out(training, user, purpose=Item.Use.TRAINING)
                item = _next_item(campaign, user)
                if item is None:
                    return None
                gold = checks.in_place_of(campaign, user)
                if gold is not None:
                    return _hand_out(gold, user, purpose=Item.Use.GOLD)
                slot = _free_slot(item)
                if slot is None:
                    continue  # somebody took it between the search and the lock
                return _hand_out(item, user, slot=slot)
        except IntegrityError:
            continue
    return None


def _hand_out(item: Item, user: User, *, slot: int | None = None, purpose: str = "") -> Assignment:
    now = timezone.now()
    return Assignment.objects.create(
        item=item,
        campaign_id=item.campaign_id,
        rater=user,
        slot=slot,
        purpose=purpose,
        claimed_at=now,
        lease_until=now + LEASE,
    )


def _next_item(campaign: Campaign, user: User) -> Item | None:
    """The next item with a free slot, locked; in the rater's own order (`annotation.orders`).

    The search goes on from the block of the user's last item, which keeps it short. What has
    come free behind it is found when nothing is left ahead, and now and then before that, so
    that an item that waits for its last rater does not wait for the end.
    """
    free = _free_items(campaign, user)
    last = last_position(campaign, user)
    if last is not None and not looks_back(last):
        ahead = _lock_first(campaign, user, free.filter(position__gte=block_start(campaign, last)))
        if ahead is not None:
            return ahead
    return _lock_first(campaign, user, free)


def last_position(campaign: Campaign, user: User) -> int | None:
    """Where the user's last item of the campaign's phase stands; None before the first."""
    # A gold item stands anywhere: it says nothing of how far the user is.
    own = own_assignments(user, campaign).filter(item__phase=campaign.state, purpose="")
    return own.order_by("-pk").values_list("item__position", flat=True).first()


def _free_items(campaign: Campaign, user: User) -> QuerySet[Item]:
    slots = Assignment.objects.filter(item=OuterRef("pk"), slot__isnull=False)
    holding = slots.filter(Q(submitted_at__isnull=False) | Q(lease_until__gt=timezone.now()))
    items = _not_seen(Item.objects.filter(campaign=campaign), user, campaign)
    return (
        items.filter(phase=campaign.state, done__lt=F("wanted"))
        .annotate(held=_count(holding))
        .filter(held__lt=F("wanted"))
        .order_by("position")
    )


def _not_seen(items: QuerySet[Item], user: User, *campaigns: Campaign) -> QuerySet[Item]:
    """Without what the user has had, and, unless the campaign allows it, without other sides
    of it."""
    had = Assignment.objects.filter(item=OuterRef("pk"), rater_id=user.pk)
    items = items.exclude(Exists(had))
    once = [each.pk for each in campaigns if has_sides_apart(each)]
    if not once:
        return items
    sides = Item.objects.filter(
        Exists(had), campaign=OuterRef("campaign"), revision=OuterRef("revision")
    )
    return items.exclude(Exists(sides), campaign__in=once)


def _count(assignments: QuerySet[Assignment]) -> Coalesce:
    """How many of an outer item's assignments there are, as a subquery."""
    counted = assignments.order_by().values("item").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)


def _lock_first(campaign: Campaign, user: User, items: QuerySet[Item]) -> Item | None:
    """Of the first block of `items` the one that is first in the user's order, locked."""
    size = block_size(campaign)
    found = list(items.values_list("position", "pk")[:size])
    if not found:
        return None
    start = block_start(campaign, found[0][0])
    keys = dict(each for each in found if each[0] < start + size)
    order = own_order(campaign, user, keys)
    if connection.features.has_select_for_update_skip_locked:
        for position in order[:TRIED_AT_ONCE]:
            # No-key locks: others' foreign keys to the item are checked without waiting.
            rows = Item.objects.select_for_update(skip_locked=True, of=("self",), no_key=True)
            free = rows.select_related("campaign").filter(pk=keys[position]).first()
            if free is not None:
                return free
    # SQLite: the transaction began with the write lock. Elsewhere other claims have locked what
    # is free just now: then wait for one of them.
    return _locked(keys[order[0]])


def _locked(item_id: int) -> Item:
    items = Item.objects.select_related("campaign").filter(pk=item_id)
    return items.select_for_update(of=("self",), no_key=True).get()


def _free_slot(item: Item) -> int | None:
    """A slot of the locked `item`: one never taken, or one whose lease ran out."""
    now = timezone.now()
    held = Assignment.objects.filter(item=item, slot__isnull=False)
    taken = dict(held.values_list("slot", "pk"))
    wanted = range(1, item.wanted + 1)
    for slot in wanted:
        if slot not in taken:
            return slot
    for slot in wanted:
        # Its rater may be saving, and so renewing the lease, at this moment. Then it is theirs:
        # not to wait for them is also what keeps two who want the item from waiting in a ring.
        expired = Assignment.objects.filter(pk=taken[slot], submitted_at=None, lease_until__lte=now)
        if list(expired.select_for_update(skip_locked=True)) and expired.update(slot=None):
            return slot
    return None


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
