"""Links that can be accepted once, of every kind."""

from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.utils import timezone

from rarrweb.accounts import audit
from rarrweb.accounts.models import ExpiringLink, ExpiringLinkQuerySet, User, hash_token, new_token

Link = TypeVar("Link", bound=ExpiringLink)


class LinkIsGone(Exception):
    """The link was used or revoked, or has expired."""


def make_link(
    model: type[Link], *, created_by: User, days: int | None = None, **values: Any
) -> tuple[Link, str]:
    """Create a link for `days` or `settings.INVITATION_DAYS`; only its token's hash is stored."""
    token = new_token()
    link = model._default_manager.create(
        token_hash=hash_token(token), created_by=created_by, expires_at=_end_after(days), **values
    )
    audit.record("link-made", link, by=created_by, role=getattr(link, "role", ""))
    return link, token  # type: ignore[return-value]  # a row of `model`


def find_link(model: type[Link], token: str) -> Link | None:
    links = model._default_manager.select_related("created_by")
    return links.filter(token_hash=hash_token(token)).first()  # type: ignore[return-value]  # a row of `model`


def can_be_accepted(link: ExpiringLink) -> bool:
    """Return whether the link is usable and its creator may still create it."""
    return link.is_usable and link.may_be_made_by(User.objects.get(pk=link.created_by_id))


def accept(link: ExpiringLink, *, user: User) -> None:
    """Mark the link as used by `user`; raises `LinkIsGone` if it cannot be accepted any more.

    Call it in the transaction that creates what the link promises.
    """
    if not can_be_accepted(link):
        raise LinkIsGone
    now = timezone.now()
    # No join: after waiting for another transaction, PostgreSQL checks only conditions on the row.
    open_link = _unused(link).filter(expires_at__gt=now)
    if open_link.update(accepted_at=now, accepted_by=user) != 1:
        raise LinkIsGone
    audit.record("link-accepted", link, by=user)


def revoke(link: ExpiringLink) -> bool:
    """Expire an unused link; return whether it was usable."""
    now = timezone.now()
    if not _unused(link).filter(expires_at__gt=now).update(expires_at=now):
        return False
    audit.record("link-withdrawn", link)
    return True


def renew(link: ExpiringLink, *, created_by: User, days: int | None = None) -> str:
    """Replace the token of an unused link; raises `LinkIsGone` if it was used meanwhile."""
    token = new_token()
    changed = _unused(link).update(
        token_hash=hash_token(token), created_by=created_by, expires_at=_end_after(days)
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
