"""How people come into a campaign by a link: one person's, or one that a group shares."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.models import (
    Campaign,
    CampaignInvitation,
    Membership,
    SharedInvitation,
    SharedInvitationUse,
)
from annotation.raters.memberships import add_member
from rarrweb.accounts import invitation_links
from rarrweb.accounts.forms import SignUpForm
from rarrweb.accounts.models import User


def invite(
    campaign: Campaign,
    *,
    created_by: User,
    note: str = "",
    days: int | None = None,
    role: str = Membership.Role.ANNOTATOR,
    also: Iterable[Campaign] = (),
) -> tuple[CampaignInvitation, str]:
    """A link that lets one person take part in that role, in `also` too, and its token, which is
    not stored."""
    invitation, token = invitation_links.make_link(
        CampaignInvitation,
        created_by=created_by,
        days=days,
        campaign=campaign,
        role=role,
        note=note,
    )
    invitation.also.set(also)
    return invitation, token


def share(
    campaign: Campaign, *, created_by: User, cap: int, days: int, role: str, note: str = ""
) -> tuple[SharedInvitation, str]:
    """One link for at most `cap` people, and its token, which is not stored."""
    return invitation_links.make_link(
        SharedInvitation,
        created_by=created_by,
        days=days,
        campaign=campaign,
        cap=cap,
        role=role,
        note=note,
    )


def find(token: str) -> CampaignInvitation | SharedInvitation | None:
    """The link that has this token, for one person or a group, usable or not."""
    own = invitation_links.find_link(CampaignInvitation, token)
    return own or invitation_links.find_link(SharedInvitation, token)


@transaction.atomic
def join(invitation: CampaignInvitation | SharedInvitation, *, user: User) -> None:
    """Make the user what the link promises; raises `invitation_links.LinkIsGone`."""
    if isinstance(invitation, SharedInvitation):
        _take_place(invitation, user=user)
    else:
        invitation_links.accept(invitation, user=user)
    for campaign in campaigns_of(invitation):
        add_member(campaign, user=user, role=invitation.role)


def campaigns_of(invitation: CampaignInvitation | SharedInvitation) -> list[Campaign]:
    """The campaigns that the link lets people into, its own first."""
    if isinstance(invitation, SharedInvitation):
        return [invitation.campaign]
    return [invitation.campaign, *invitation.also.order_by("pk")]


@transaction.atomic
def sign_up_and_join(form: SignUpForm, invitation: CampaignInvitation | SharedInvitation) -> User:
    """Make an account from a valid form, and join with it; raises `invitation_links.LinkIsGone`."""
    person: User = form.save()
    join(invitation, user=person)
    return person


def _take_place(invitation: SharedInvitation, *, user: User) -> None:
    """Take one of the link's places, unless the user has one already; raises `LinkIsGone`."""
    if not invitation_links.is_open(invitation):
        raise invitation_links.LinkIsGone
    now = timezone.now()
    uses = SharedInvitationUse.objects
    _, is_new = uses.get_or_create(invitation=invitation, user=user, defaults={"at": now})
    if not is_new:
        return
    # Conditional, as a single link's: of two people at the last place one gets the exception.
    free = SharedInvitation.objects.filter(pk=invitation.pk, used__lt=F("cap"), expires_at__gt=now)
    if free.update(used=F("used") + 1) != 1:
        raise invitation_links.LinkIsGone
