"""Adapters of django-allauth."""

import base64
import hashlib
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from rarrweb.accounts import audit
from rarrweb.accounts.http import client_address
from rarrweb.accounts.models import User


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Accounts by invitation only; django-axes limits log-ins."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": "The user name or the password is wrong. Both distinguish "
        "capital and small letters.",
        "too_many_login_attempts": "Too many attempts have failed. Wait 15 minutes and try again.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def is_safe_url(self, url: str | None) -> bool:
        """Allow only paths: `redirect` reads other texts as names of views."""
        return url is not None and url.startswith("/") and super().is_safe_url(url)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Limit failures by address; a limit by name would let strangers lock users out."""
        if not ratelimit.consume(request, action="failed_address", dry_run=True):
            # allauth also refuses if it cannot write to the cache, a table. Then this update of no
            # row raises, and the answer is a 503.
            User.objects.filter(pk=0).update(is_active=True)
            raise self.validation_error("too_many_login_attempts")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        ratelimit.consume(request, action="failed_address")


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """The provider logs in users who connected it; it creates no accounts."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: object) -> bool:
        audit.record("log-in-failed", how="provider")
        return False


class SecretKeyChanged(ValidationError):
    """A second factor was encrypted with another `RARR_SECRET_KEY`."""

    def __init__(self) -> None:
        super().__init__(
            "The secret key of this installation has changed, so that your second factor cannot be "
            "checked. Ask an administrator to restore the key or to reset your second factor."
        )


class MfaAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise SecretKeyChanged from None


def _cipher() -> Fernet:
    key = hashlib.sha256(f"rarrweb.second-factor{settings.SECRET_KEY}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
