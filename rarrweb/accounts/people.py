"""Changing what a person may do. One administrator always remains."""

import secrets

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.db.models import F
from django.dispatch import Signal
from django.utils import timezone

from rarrweb.accounts import audit
from rarrweb.accounts.models import ExpiringLink, Invitation, User
from rarrweb.accounts.tokens import revoke_tokens

deactivated = Signal()
"""Sent with the `person` in the transaction that deactivates their account."""


class NotAllowed(Exception):
    """Says in a sentence why the change was refused."""


@transaction.atomic
def change_role(person: User, *, role: str, changed_by: User) -> None:
    """Give `person` another role; raises `NotAllowed` for oneself and the last administrator."""
    if role not in User.Role.values:
        raise NotAllowed(f"There is no role {role!r}.")
    if person.pk == changed_by.pk:
        raise NotAllowed("You cannot change your own role. Ask another administrator to do it.")
    if role != User.Role.ADMINISTRATOR:
        _keep_one_administrator(without=person)
    was = User.objects.get(pk=person.pk).role
    User.objects.filter(pk=person.pk).update(role=role)
    audit.record("role-changed", person, by=changed_by, was=was, now=role)
    _withdraw_links(person)
    if role == User.Role.NONE:
        revoke_tokens(person)


@transaction.atomic
def deactivate(person: User, *, changed_by: User) -> None:
    """Shut an account: it cannot log in; its sessions, its links and its tokens end for good.

    What the person has judged stays. Raises `NotAllowed`.
    """
    if person.pk == changed_by.pk:
        raise NotAllowed("You cannot deactivate yourself. Ask another administrator to do it.")
    _shut(person)
    deactivated.send(User, person=person)
    audit.record("deactivated", person, by=changed_by)


@transaction.atomic
def forget(person: User) -> None:
    """Shut an account for good, and keep nothing that tells whose it was but its number.

    Raises `NotAllowed` for the last administrator.
    """
    _shut(person, role=User.Role.NONE)
    person.api_tokens.all().delete()
    Authenticator.objects.filter(user=person).delete()
    SocialAccount.objects.filter(user=person).delete()
    Invitation.objects.filter(accepted_by=person).update(note="")
    person.username, person.email = f"erased-{secrets.token_hex(6)}", ""
    person.first_name = person.last_name = ""
    person.last_login = None
    person.set_unusable_password()
    person.save()


def end_sessions(person: User) -> None:
    """Log the person out everywhere; links to a new password that were made for them end too."""
    User.objects.filter(pk=person.pk).update(times_shut=F("times_shut") + 1)


def reactivate(person: User) -> None:
    """Open an account again, with the role and the password it had; what has ended stays so."""
    User.objects.filter(pk=person.pk).update(is_active=True)
    audit.record("reactivated", person)


def _shut(person: User, **also: str) -> None:
    _keep_one_administrator(without=person)
    shut = {"is_active": False, "times_shut": F("times_shut") + 1, **also}
    User.objects.filter(pk=person.pk).update(**shut)
    _withdraw_links(person)
    revoke_tokens(person)


def _keep_one_administrator(*, without: User) -> None:
    # The lock makes two administrators who remove each other take turns; the second then
    # finds nobody left. (SQLite has one writer at a time anyway.)
    administrators = User.objects.select_for_update().filter(
        role=User.Role.ADMINISTRATOR, is_active=True
    )
    remaining = [found.pk for found in administrators.order_by("pk") if found.pk != without.pk]
    if not remaining:
        raise NotAllowed(f"{without.username} is the last administrator. Make another one first.")


def _withdraw_links(person: User) -> None:
    # Otherwise whoever is sent away could come back through a link of their own making. Expired
    # in this transaction, so that somebody who joins by it at this moment is too late, and for
    # good, whatever the person becomes again.
    person.refresh_from_db()
    for model in ExpiringLink.__subclasses__():
        own = model._default_manager.usable().filter(created_by=person)
        gone = [link.pk for link in own if not link.may_be_made_by(person)]
        model._default_manager.usable().filter(pk__in=gone).update(expires_at=timezone.now())
