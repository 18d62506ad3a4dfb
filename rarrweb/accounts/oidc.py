"""Logging in at an OpenID Connect provider: an institution's own accounts.

It opens accounts that are there, and makes none: a person connects theirs on the account page, and
from then on the provider's subject, and nothing else that it says, finds it.
"""

from typing import NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction

from rarrweb.accounts import audit
from rarrweb.accounts.models import ProviderIdentity, User


class ProviderRefused(Exception):
    """Says in a sentence why nobody was logged in."""


class Subject(NamedTuple):
    """Who somebody is at a provider."""

    issuer: str
    name: str


def is_on() -> bool:
    """Whether a provider is set."""
    return bool(settings.RARR_OIDC_ISSUER)


def person_of(subject: Subject) -> User | None:
    """Whose account is connected with that subject."""
    identities = ProviderIdentity.objects.select_related("user")
    found = identities.filter(issuer=subject.issuer, subject=subject.name).first()
    return found.user if found is not None and found.user.is_active else None


def connect(person: User, subject: Subject) -> None:
    """Let the subject log in as the person; raises `ProviderRefused` where it is somebody else."""
    try:
        with transaction.atomic():
            _found, is_new = ProviderIdentity.objects.get_or_create(
                user=person, issuer=subject.issuer, subject=subject.name
            )
    except IntegrityError:
        raise ProviderRefused("That account of the provider is connected already.") from None
    if is_new:
        audit.record("provider-connected", person, by=person)


def disconnect(person: User) -> None:
    """Let no provider log in as the person any more."""
    if ProviderIdentity.objects.filter(user=person).delete()[0]:
        audit.record("provider-disconnected", person)
