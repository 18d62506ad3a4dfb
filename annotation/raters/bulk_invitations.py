"""Inviting a list of people, each by a link of their own."""

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from annotation.models import Campaign, CampaignInvitation, Membership
from annotation.raters.invitation_csv import Row, key_of
from rarrweb.accounts import invitation_links
from rarrweb.accounts.models import User
from rarrweb.csv import table_text

NEW = "new link"
RENEWED = "new link in place of an unused one"
OPEN = "has an unused link already"
JOINED = "has joined already"
OUTCOMES = (NEW, RENEWED, OPEN, JOINED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was done about one row."""

    row: Row
    what: str
    """One of `OUTCOMES`, as pages and files say it."""
    invitation: CampaignInvitation
    token: str = ""
    """Empty where no link was made."""


@transaction.atomic
def invite_all(
    campaign: Campaign, rows: Sequence[Row], *, created_by: User, days: int, renew: bool = False
) -> list[Outcome]:
    """A link for each row whose person has none yet, all or nothing; safe to repeat.

    With `renew`, people who have not used their link get a new one, and the old one dies.
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
        made, token = invitation_links.make_link(
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
        token = invitation_links.renew(known, created_by=created_by, days=days)
    except invitation_links.LinkIsGone:  # used at this very moment
        return Outcome(row=row, what=JOINED, invitation=known)
    return Outcome(row=row, what=RENEWED if was_usable else NEW, invitation=known, token=token)


def links_file(outcomes: Iterable[Outcome], *, address: Callable[[str], str]) -> str:
    """The list with its links, as CSV: a row for each person, even without a new link."""
    columns = ("email", "name", "role", "link", "expires_at", "what")
    rows = (
        (
            each.row.email,
            each.row.name,
            "rater" if each.row.role == Membership.Role.ANNOTATOR else each.row.role,
            address(each.token) if each.token else "",
            each.invitation.expires_at.isoformat(timespec="seconds"),
            each.what,
        )
        for each in outcomes
    )
    return table_text(columns, rows)


def as_data_address(text: str) -> str:
    """The file as a `data:` URL, for a page that hands it out once and stores nothing."""
    return "data:text/csv;charset=utf-8;base64," + base64.b64encode(text.encode()).decode()
