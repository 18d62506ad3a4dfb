"""Links that let one person in, once: made here, accepted here, for every kind of link."""

from datetime import timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.utils import timezone

from rarrweb.accounts.models import ExpiringLink, User, hash_token, new_token

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
        expires_at=timezone.now() + timedelta(days=days or settings.INVITATION_DAYS),
        **values,
    )
    return link, token


def find_link(model: type[Link], token: str) -> Link | None:
    """The link of a token, usable or not; None when there never was one."""
    return (
        model._default_manager.select_related("created_by")
        .filter(token_hash=hash_token(token))
        .first()
    )


def accept(link: ExpiringLink, *, user: User) -> None:
    """Use the link up for `user`; raises `LinkIsGone` when somebody was faster.

    Call it in the transaction that makes whatever the link promises: of two people who
    press the button at the same moment one gets the exception, and all of theirs is undone.
    """
    if not link.created_by.is_active:
        raise LinkIsGone
    now = timezone.now()
    # Conditions on the link's own columns only: PostgreSQL tests those again after it has
    # waited for the other transaction, and would not do so for a join.
    used = (
        type(link)
        ._default_manager.filter(pk=link.pk, accepted_at=None, expires_at__gt=now)
        .update(accepted_at=now, accepted_by=user)
    )
    if used != 1:
        raise LinkIsGone


def revoke(link: ExpiringLink) -> bool:
    """Withdraw a link that nobody has used; whether there was still something to withdraw."""
    now = timezone.now()
    open_links = type(link)._default_manager.filter(
        pk=link.pk, accepted_at=None, expires_at__gt=now
    )
    return open_links.update(expires_at=now) == 1


def renew(link: ExpiringLink, *, created_by: User, days: int | None = None) -> str:
    """A new token for a link that nobody has used; the one before works no more.

    Raises `LinkIsGone` where somebody has used it in the meantime.
    """
    token = new_token()
    unused = type(link)._default_manager.filter(pk=link.pk, accepted_at=None)
    changed = unused.update(
        token_hash=hash_token(token),
        created_by=created_by,
        expires_at=timezone.now() + timedelta(days=days or settings.INVITATION_DAYS),
    )
    if changed != 1:
        raise LinkIsGone
    link.refresh_from_db(fields=["token_hash", "created_by", "expires_at"])
    return token
