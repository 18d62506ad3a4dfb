"""How people join a campaign, and how a rater leaves it."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import Assignment, Campaign, Membership
from rarrweb.accounts import audit
from rarrweb.accounts.models import User


def lock_work(user: User, campaign: Campaign) -> list[Assignment]:
    """The user's assignments in the campaign, locked with their memberships until the transaction
    ends.

    The order is that of a claim, which locks the membership first: nothing is claimed after it.
    """
    memberships = campaign.memberships.filter(user_id=user.pk).order_by("pk")
    list(memberships.select_for_update(of=("self",), no_key=True))
    own = Assignment.objects.filter(rater_id=user.pk, campaign=campaign).order_by("pk")
    return list(own.select_for_update(of=("self",)))


@transaction.atomic
def leave(user: User, campaign: Campaign) -> None:
    """End the user's judging in the campaign, as `remove_member` does."""
    lock_work(user, campaign)
    for own in campaign.memberships.filter(user_id=user.pk, role=Membership.Role.ANNOTATOR):
        remove_member(own)


def people_to_add(user: User) -> QuerySet[User]:
    """The people whom the user may let into campaigns: everybody with an open account, without
    participants of crowd platforms, who come by their own address."""
    if not user.is_researcher:
        return User.objects.none()
    return User.objects.filter(is_active=True, participation=None).order_by("username")


def raters_of(campaign: Campaign) -> QuerySet[User]:
    """The people who judge in the campaign, without participants of crowd platforms."""
    return User.objects.filter(
        memberships__campaign=campaign,
        memberships__role=Membership.Role.ANNOTATOR,
        is_active=True,
        participation=None,
    ).order_by("username")


def add_member(campaign: Campaign, *, user: User, role: str = Membership.Role.ANNOTATOR) -> bool:
    """Let the user take part; False when they did already."""
    _, is_new = Membership.objects.get_or_create(campaign=campaign, user=user, role=role)
    if is_new:
        audit.record("member-added", campaign, person=user.pk, role=role)
    return is_new


@transaction.atomic
def remove_member(membership: Membership) -> None:
    """Let the person take part no more; what they judged stays, and counts.

    A rater also gives up the slots of unfinished items. Their answers to these are kept: they
    find them if they are let in again.
    """
    # First, as a claim locks this row: none can take a slot in between.
    membership.delete()
    if membership.role == Membership.Role.ANNOTATOR:
        free_slots(campaign=membership.campaign_id, rater=membership.user_id)
    audit.record(
        "member-removed", membership.campaign, person=membership.user_id, role=membership.role
    )


def free_slots(**of: object) -> None:
    """Give the slots of unfinished assignments to other raters; `of` are lookups of whose."""
    begun = Assignment.objects.filter(**of, submitted_at=None, slot__isnull=False)
    begun.update(slot=None, lease_until=timezone.now())


def free_slots_of_deactivated(*, person: User, **signal: object) -> None:
    """Receives `rarrweb.accounts.people.deactivated`."""
    free_slots(rater=person)
