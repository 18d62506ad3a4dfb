"""Logging in at an OpenID Connect provider: an institution's own accounts.

It opens accounts that are there, and makes none: a person connects theirs on the account page, and
from then on the provider's subject, and nothing else that it says, finds it.
"""

from typing import Any, NamedTuple

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import DjangoOAuth2App, OAuth
from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from joserfc.errors import JoseError

from rarrweb.accounts import audit
from rarrweb.accounts.models import ProviderIdentity, User

TIMEOUT_SECONDS = 10
SIGNATURES = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"}
"""By a key of the provider: not by our secret, nor by none."""
FAULTS = (
    AuthlibBaseError,
    JoseError,
    requests.RequestException,
    ValueError,
    RuntimeError,
    KeyError,
)
"""What the library raises for a provider that is away, or answers what it must not."""


class ProviderRefused(Exception):
    """Says in a sentence why nobody was logged in."""


class Subject(NamedTuple):
    """Who somebody is at a provider."""

    issuer: str
    name: str


class _Provider(DjangoOAuth2App):  # type: ignore[misc]  # Authlib has no types
    """Believes no metadata of another issuer, and no signature but those of `SIGNATURES`."""

    def load_server_metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = super().load_server_metadata()
        if metadata.get("issuer") != settings.RARR_OIDC_ISSUER:
            raise ValueError("the metadata is of another issuer")
        told = metadata.get("id_token_signing_alg_values_supported", ["RS256"])
        metadata["id_token_signing_alg_values_supported"] = sorted(SIGNATURES & set(told)) or [
            "RS256"
        ]
        return metadata


class _Registry(OAuth):  # type: ignore[misc]
    oauth2_client_cls = _Provider


def is_on() -> bool:
    """Whether a provider is set."""
    return bool(settings.RARR_OIDC_ISSUER)


def redirect_to_provider(request: HttpRequest, *, back: str) -> HttpResponse:
    """On to the provider, which sends the person to `back`; raises `ProviderRefused`."""
    try:
        response: HttpResponse = _client().authorize_redirect(request, back)
    except FAULTS:
        raise ProviderRefused(_("The provider does not answer as it should. Try later.")) from None
    return response


def subject_of(request: HttpRequest) -> Subject:
    """Who came back from the provider, once its signature, issuer, audience, nonce, state and time
    are right; raises `ProviderRefused`."""
    try:
        token = _client().authorize_access_token(request)
        claims = token["userinfo"]
        return Subject(claims["iss"], claims["sub"])
    except FAULTS:
        raise ProviderRefused(
            _("The provider’s answer was refused: start again from the log-in page.")
        ) from None


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
        raise ProviderRefused(_("That account of the provider is connected already.")) from None
    if is_new:
        audit.record("provider-connected", person, by=person)


def disconnect(person: User) -> None:
    """Let no provider log in as the person any more."""
    if ProviderIdentity.objects.filter(user=person).delete()[0]:
        audit.record("provider-disconnected", person)


def _client() -> Any:
    # Made anew each time, as it remembers the provider's keys for good.
    return _Registry().register(
        "oidc",
        client_id=settings.RARR_OIDC_CLIENT_ID,
        client_secret=settings.RARR_OIDC_CLIENT_SECRET,
        server_metadata_url=(
            f"{settings.RARR_OIDC_ISSUER.rstrip('/')}/.well-known/openid-configuration"
        ),
        client_kwargs={
            "scope": "openid",
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT_SECONDS,
        },
    )
