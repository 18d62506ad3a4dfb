"""Links that let one person in, once: made here, accepted here, for every kind of link."""

from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.utils import timezone

from rarrweb.accounts import audit
from rarrweb.accounts.models import (
    ExpiringLink,
    ExpiringLinkQuerySet,
    User,
    hash_token,
    new_token,
)

Link = TypeVar("Link", bound=ExpiringLink)


class LinkIsGone(Exception):
    """The link was used, withdrawn or has expired in the meantime."""


def make_link(
    model: type[Link], *, created_by: User, days: int | None = None, **values: Any
) -> tuple[Link, str]:
    """A new link of kind `model` and its token, which nobody can read again later.

    `days` from now the link expires; `settings.INVITATION_DAYS` when not given.
    """
    token = new_token()
    link = model._default_manager.create(
        token_hash=hash_token(token),
        created_by=created_by,
        expires_at=_end_after(days),
        **values,
    )
    audit.record("link-made", link, by=created_by, role=getattr(link, "role", ""))
    return link, token  # type: ignore[return-value]  # a row of `model`


def find_link(model: type[Link], token: str) -> Link | None:
    """The link of a token, usable or not; None when there never was one."""
    links = model._default_manager.select_related("created_by")
    return links.filter(token_hash=hash_token(token)).first()  # type: ignore[return-value]  # a row of `model`


def is_open(link: ExpiringLink) -> bool:
    """Whether the link can be used, and who made it could make it now."""
    return link.is_usable and link.may_be_made_by(User.objects.get(pk=link.created_by_id))


def accept(link: ExpiringLink, *, user: User) -> None:
    """Use the link up for `user`; raises `LinkIsGone` when somebody was faster.

    Call it in the transaction that makes whatever the link promises: of two people who
    press the button at the same moment one gets the exception, and all of theirs is undone.
    """
    if not is_open(link):
        raise LinkIsGone
    now = timezone.now()
    # Conditions on the link's own columns only: PostgreSQL tests those again after it has
    # waited for the other transaction, and would not do so for a join.
    open_link = _unused(link).filter(expires_at__gt=now)
    if open_link.update(accepted_at=now, accepted_by=user) != 1:
        raise LinkIsGone
    audit.record("link-accepted", link, by=user)


def revoke(link: ExpiringLink) -> bool:
    """Withdraw a link that nobody has used; whether there was still something to withdraw."""
    now = timezone.now()
    if not _unused(link).filter(expires_at__gt=now).update(expires_at=now):
        return False
    audit.record("link-withdrawn", link)
    return True


def renew(link: ExpiringLink, *, created_by: User, days: int | None = None) -> str:
    """A new token for a link that nobody has used; the one before works no more.

    Raises `LinkIsGone` where somebody has used it in the meantime.
    """
    token = new_token()
    changed = _unused(link).update(
        token_hash=hash_token(token),
        created_by=created_by,
        expires_at=_end_after(days),
    )
    if changed != 1:
        raise LinkIsGone
    link.refresh_from_db(fields=["token_hash", "created_by", "expires_at"])
    audit.record("link-renewed", link, by=created_by)
    return token


def _unused(link: ExpiringLink) -> ExpiringLinkQuerySet[ExpiringLink]:
    return type(link)._default_manager.filter(pk=link.pk, accepted_at=None)


def _end_after(days: int | None) -> datetime:
    return timezone.now() + timedelta(days=days or settings.INVITATION_DAYS)
