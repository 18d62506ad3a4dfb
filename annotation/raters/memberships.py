"""Join and leave a campaign."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import Assignment, Campaign, Membership
from rarrweb.accounts import audit
from rarrweb.accounts.models import User


def lock_work(user: User, campaign: Campaign) -> list[Assignment]:
    """Lock the user's memberships and assignments in the campaign until the transaction ends.

    A claim locks the membership first too, so nothing is claimed meanwhile.
    """
    memberships = campaign.memberships.filter(user_id=user.pk).order_by("pk")
    list(memberships.select_for_update(of=("self",), no_key=True))
    assignments = Assignment.objects.filter(rater_id=user.pk, campaign=campaign).order_by("pk")
    return list(assignments.select_for_update(of=("self",)))


@transaction.atomic
def leave(user: User, campaign: Campaign) -> None:
    lock_work(user, campaign)
    for membership in campaign.memberships.filter(user_id=user.pk, role=Membership.Role.ANNOTATOR):
        remove_member(membership)


def people_to_add(user: User) -> QuerySet[User]:
    """People whom the user may add: open accounts except crowd participants."""
    if not user.is_researcher:
        return User.objects.none()
    return User.objects.filter(is_active=True, participation=None).order_by("username")


def raters_of(campaign: Campaign) -> QuerySet[User]:
    """Active raters except crowd participants."""
    return User.objects.filter(
        memberships__campaign=campaign,
        memberships__role=Membership.Role.ANNOTATOR,
        is_active=True,
        participation=None,
    ).order_by("username")


def add_member(campaign: Campaign, *, user: User, role: str = Membership.Role.ANNOTATOR) -> bool:
    """Add a member; return False if they were one."""
    _, is_new = Membership.objects.get_or_create(campaign=campaign, user=user, role=role)
    if is_new:
        audit.record("member-added", campaign, person=user.pk, role=role)
    return is_new


@transaction.atomic
def remove_member(membership: Membership) -> None:
    """End a membership; judgments stay and count.

    A rater's unfinished items lose their slots and keep their answers.
    """
    # First: a claim locks this row, so no slot is taken meanwhile.
    membership.delete()
    if membership.role == Membership.Role.ANNOTATOR:
        free_slots(campaign=membership.campaign_id, rater=membership.user_id)
    audit.record(
        "member-removed", membership.campaign, person=membership.user_id, role=membership.role
    )


def free_slots(**of: object) -> None:
    """Free the slots of unfinished assignments that match the lookups `of`."""
    begun = Assignment.objects.filter(**of, submitted_at=None, slot__isnull=False)
    begun.update(slot=None, lease_until=timezone.now())


def free_slots_of_deactivated(*, person: User, **signal: object) -> None:
    """Receive `rarrweb.accounts.people.deactivated`."""
    free_slots(rater=person)
