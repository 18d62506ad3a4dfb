"""Changes of roles and accounts. One administrator always remains."""

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
"""Sent with `person`, in the transaction that deactivates the account."""


class NotAllowed(Exception):
    """The change was refused; the message gives the reason."""


@transaction.atomic
def change_role(person: User, *, role: str, changed_by: User) -> None:
    """Change a role; raises `NotAllowed` for oneself and for the last administrator."""
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
    """Forbid to log in, and end sessions, links and tokens; judgments stay.

    Raises `NotAllowed` for oneself and for the last administrator.
    """
    if person.pk == changed_by.pk:
        raise NotAllowed("You cannot deactivate yourself. Ask another administrator to do it.")
    _shut(person)
    deactivated.send(User, person=person)
    audit.record("deactivated", person, by=changed_by)


@transaction.atomic
def forget(person: User) -> None:
    """Erase an account except for its number. Raises `NotAllowed` for the last administrator."""
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
    User.objects.filter(pk=person.pk).update(times_shut=F("times_shut") + 1)


def reactivate(person: User) -> None:
    User.objects.filter(pk=person.pk).update(is_active=True)
    audit.record("reactivated", person)


def _shut(person: User, **also: str) -> None:
    _keep_one_administrator(without=person)
    shut = {"is_active": False, "times_shut": F("times_shut") + 1, **also}
    User.objects.filter(pk=person.pk).update(**shut)
    _withdraw_links(person)
    revoke_tokens(person)


def _keep_one_administrator(*, without: User) -> None:
    # Lock, in case that two administrators remove each other.
    administrators = User.objects.select_for_update().filter(
        role=User.Role.ADMINISTRATOR, is_active=True
    )
    if all(each.pk == without.pk for each in administrators.order_by("pk")):
        raise NotAllowed(f"{without.username} is the last administrator. Make another one first.")


def _withdraw_links(person: User) -> None:
    # A deactivated user could otherwise return through a link that they created.
    person.refresh_from_db()
    for model in ExpiringLink.__subclasses__():
        created = model._default_manager.usable().filter(created_by=person)
        gone = [link.pk for link in created if not link.may_be_made_by(person)]
        model._default_manager.usable().filter(pk__in=gone).update(expires_at=timezone.now())
