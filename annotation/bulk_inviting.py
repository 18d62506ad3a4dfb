"""Inviting many: a link of their own for each person of a list, or one link for a group."""

import base64
import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.exporting.csv_file import neutral
from annotation.invitation_lists import Row, key_of
from annotation.models import (
    Campaign,
    CampaignInvitation,
    Membership,
    SharedInvitation,
    SharedInvitationUse,
)
from rarrweb.accounts import inviting
from rarrweb.accounts.models import User

NEW, RENEWED, OPEN, JOINED = "new", "renewed", "open", "joined"
TELLS = {
    NEW: "new link",
    RENEWED: "new link in place of an unused one",
    OPEN: "has an unused link already",
    JOINED: "has joined already",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one row."""

    row: Row
    what: str
    invitation: CampaignInvitation
    token: str = ""
    """Empty where no link was made."""

    @property
    def tells(self) -> str:
        return TELLS[self.what]


@transaction.atomic
def invite_all(
    campaign: Campaign, rows: Sequence[Row], *, created_by: User, days: int, renew: bool = False
) -> list[Outcome]:
    """A link for each row whose person has none, all or nothing; the same rows twice make none.

    With `renew`, who has not used their link yet gets another one, and the old one dies.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    known = {
        key_of(role=each.role, email=each.email, name=each.note): each
        for each in campaign.invitations.order_by("pk")
    }
    return [
        _invite(campaign, row, known.get(row.key), created_by=created_by, days=days, renew=renew)
        for row in rows
    ]


def _invite(
    campaign: Campaign,
    row: Row,
    known: CampaignInvitation | None,
    *,
    created_by: User,
    days: int,
    renew: bool,
) -> Outcome:
    if known is None:
        made, token = inviting.make_link(
            CampaignInvitation,
            created_by=created_by,
            days=days,
            campaign=campaign,
            role=row.role,
            note=row.name or row.email[:200],
            email=row.email,
        )
        return Outcome(row=row, what=NEW, invitation=made, token=token)
    if known.accepted_at is not None:
        return Outcome(row=row, what=JOINED, invitation=known)
    was_usable = known.is_usable
    if was_usable and not renew:
        return Outcome(row=row, what=OPEN, invitation=known)
    try:
        token = inviting.renew(known, created_by=created_by, days=days)
    except inviting.LinkIsGone:  # used at this very moment
        return Outcome(row=row, what=JOINED, invitation=known)
    return Outcome(row=row, what=RENEWED if was_usable else NEW, invitation=known, token=token)


def links_file(outcomes: Iterable[Outcome], *, address: Callable[[str], str]) -> str:
    """The list with its links, as CSV: a row a person, also of those who got no new link."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(("email", "name", "role", "link", "expires_at", "what"))
    for each in outcomes:
        table.writerow(
            map(
                neutral,
                (
                    each.row.email,
                    each.row.name,
                    "rater" if each.row.role == Membership.Role.ANNOTATOR else each.row.role,
                    address(each.token) if each.token else "",
                    each.invitation.expires_at.isoformat(timespec="seconds"),
                    each.tells,
                ),
            )
        )
    return "\ufeff" + out.getvalue()


def as_data_address(text: str) -> str:
    """A file inside of an address, for a page that gives it out once and keeps nothing."""
    return "data:text/csv;charset=utf-8;base64," + base64.b64encode(text.encode()).decode()


def share(
    campaign: Campaign, *, created_by: User, cap: int, days: int, role: str, note: str = ""
) -> tuple[SharedInvitation, str]:
    """One link for at most `cap` people, and its token, readable only now."""
    return inviting.make_link(
        SharedInvitation,
        created_by=created_by,
        days=days,
        campaign=campaign,
        cap=cap,
        role=role,
        note=note,
    )


def accept_shared(invitation: SharedInvitation, *, user: User) -> None:
    """Take one of the link's places; raises `LinkIsGone`. Call it in a transaction."""
    if not invitation.created_by.is_active:
        raise inviting.LinkIsGone
    now = timezone.now()
    # Conditional, as a single link's: of two people at the last place one gets the exception.
    free = SharedInvitation.objects.filter(pk=invitation.pk, used__lt=F("cap"), expires_at__gt=now)
    if free.update(used=F("used") + 1) != 1:
        raise inviting.LinkIsGone
    SharedInvitationUse.objects.create(invitation=invitation, user=user, at=now)
