"""Join a campaign by a link."""

from collections.abc import Iterable, Sequence

from django.db import transaction

from annotation.models import Campaign, CampaignInvitation, InvitationUse, Membership
from annotation.raters.memberships import add_member
from rarrweb.accounts import invitation_links
from rarrweb.accounts.models import User


def invite(
    campaign: Campaign,
    *,
    created_by: User,
    note: str = "",
    max_uses: int = 1,
    days: int | None = None,
    role: str = Membership.Role.ANNOTATOR,
    also: Iterable[Campaign] = (),
) -> tuple[CampaignInvitation, str]:
    """Return an invitation to the campaign and to `also`, and its token, which is not stored."""
    invitation, token = invitation_links.make_link(
        CampaignInvitation,
        created_by=created_by,
        days=days,
        campaign=campaign,
        role=role,
        note=note,
        max_uses=max_uses,
    )
    invitation.other_campaigns.set(also)
    return invitation, token


@transaction.atomic
def invite_each(
    campaign: Campaign, *, names: Sequence[str], created_by: User, days: int, role: str
) -> list[tuple[CampaignInvitation, str]]:
    return [
        invite(campaign, created_by=created_by, note=name, days=days, role=role) for name in names
    ]


@transaction.atomic
def join(invitation: CampaignInvitation, *, user: User) -> None:
    """Add the user to the campaigns; raises `invitation_links.LinkIsGone`."""
    # The lock enforces `max_uses`.
    locked = CampaignInvitation.objects.select_for_update(no_key=True).get(pk=invitation.pk)
    if not invitation_links.can_be_accepted(locked):
        raise invitation_links.LinkIsGone
    InvitationUse.objects.get_or_create(invitation=locked, user=user)
    if locked.uses.count() >= locked.max_uses:
        invitation_links.accept(locked, user=user)
    for campaign in campaigns_of(locked):
        add_member(campaign, user=user, role=locked.role)


def campaigns_of(invitation: CampaignInvitation) -> list[Campaign]:
    """Return the campaigns of the link, its main campaign first."""
    return [invitation.campaign, *invitation.other_campaigns.order_by("pk")]
