"""How a person comes into a campaign by a link."""

from django.db import transaction

from annotation.campaigns import add_member
from annotation.models import Campaign, CampaignInvitation, Membership
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


@transaction.atomic
def join(invitation: CampaignInvitation, *, user: User) -> None:
    """Make the user what the link promises; raises `inviting.LinkIsGone`."""
    inviting.accept(invitation, user=user)
    add_member(invitation.campaign, user=user, role=invitation.role)


@transaction.atomic
def sign_up_and_join(form: SignUpForm, invitation: CampaignInvitation) -> User:
    """Make an account from a valid form, and join with it; raises `inviting.LinkIsGone`."""
    person: User = form.save()
    join(invitation, user=person)
    return person
