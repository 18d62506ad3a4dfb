"""The settings of django-allauth for an OpenID Connect provider."""

import re
from typing import Any


def provider_settings(*, issuer: str, name: str, client_id: str, secret: str) -> dict[str, Any]:
    """Return `SOCIALACCOUNT_PROVIDERS` with an id from the issuer, as accounts belong to it.

    >>> of = {"issuer": "https://login.example.edu/realms/lab/", "client_id": "", "secret": ""}
    >>> provider_settings(name="Lab", **of)["openid_connect"]["APPS"][0]["provider_id"]
    'login-example-edu-realms-lab'
    """
    app = {
        "provider_id": re.sub(r"\W+", "-", issuer.partition("://")[2]).strip("-"),
        "name": name,
        "client_id": client_id,
        "secret": secret,
        "settings": {"server_url": issuer.rstrip("/"), "fetch_userinfo": False},
    }
    return {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "SCOPE": ["openid"], "APPS": [app]}}
