"""The way to an OpenID Connect provider and back, by Authlib.

Loaded only where a provider is set and somebody goes there: it takes 10 MB.
"""

from typing import Any

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import DjangoOAuth2App, OAuth
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from joserfc.errors import JoseError

from rarrweb.accounts.oidc import ProviderRefused, Subject

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


def redirect_to_provider(request: HttpRequest, *, back: str) -> HttpResponse:
    """On to the provider, which sends the person to `back`; raises `ProviderRefused`."""
    try:
        response: HttpResponse = _client().authorize_redirect(request, back)
    except FAULTS:
        raise ProviderRefused("The provider does not answer as it should. Try later.") from None
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
            "The provider’s answer was refused: start again from the log-in page."
        ) from None


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
