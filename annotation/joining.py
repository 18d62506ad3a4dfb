"""How a person comes into a campaign by a link."""

from django.db import transaction

from annotation.bulk_inviting import accept_shared
from annotation.campaigns import add_member
from annotation.models import Campaign, CampaignInvitation, Membership, SharedInvitation
from rarrweb.accounts import inviting
from rarrweb.accounts.forms import SignUpForm
from rarrweb.accounts.models import User


def invite(
    campaign: Campaign,
    *,
    created_by: User,
    note: str = "",
    days: int | None = None,
    role: str = Membership.Role.ANNOTATOR,
) -> tuple[CampaignInvitation, str]:
    """A link that lets one person take part in that role, and its token, readable only now."""
    return inviting.make_link(
        CampaignInvitation,
        created_by=created_by,
        days=days,
        campaign=campaign,
        role=role,
        note=note,
    )


def find(token: str) -> CampaignInvitation | SharedInvitation | None:
    """The link of a token, one person's or a group's, usable or not."""
    own = inviting.find_link(CampaignInvitation, token)
    return own or inviting.find_link(SharedInvitation, token)


@transaction.atomic
def join(invitation: CampaignInvitation | SharedInvitation, *, user: User) -> None:
    """Make the user what the link promises; raises `inviting.LinkIsGone`."""
    if isinstance(invitation, SharedInvitation):
        accept_shared(invitation, user=user)
    else:
        inviting.accept(invitation, user=user)
    add_member(invitation.campaign, user=user, role=invitation.role)


@transaction.atomic
def sign_up_and_join(form: SignUpForm, invitation: CampaignInvitation | SharedInvitation) -> User:
    """Make an account from a valid form, and join with it; raises `inviting.LinkIsGone`."""
    person: User = form.save()
    join(invitation, user=person)
    return person
