"""What differs here from the defaults of django-allauth."""

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
from rarrweb.accounts.client_address import client_address
from rarrweb.accounts.models import User


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Accounts by invitation only; log-ins are limited by django-axes."""

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
        """Whether it is the path of a page; `redirect` takes other texts for names of views."""
        return url is not None and url.startswith("/") and super().is_safe_url(url)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Limit failures by address; not by name alone, or a stranger could lock its owner out."""
        if not ratelimit.consume(request, action="failed_address", dry_run=True):
            # allauth also refuses where the cache, a table, cannot be written. Then this update
            # of no row raises, and the page says that the database is busy.
            User.objects.filter(pk=0).update(is_active=True)
            raise self.validation_error("too_many_login_attempts")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        ratelimit.consume(request, action="failed_address")


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """The provider logs people in who connected it; it makes no accounts."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: object) -> bool:
        audit.record("log-in-failed", how="provider")
        return False


class SecretKeyChanged(ValidationError):
    """`RARR_SECRET_KEY` is not the one that a second factor was encrypted with."""

    def __init__(self) -> None:
        super().__init__(
            "The secret key of this installation has changed, so that your second factor cannot be "
            "checked. Ask an administrator to restore the key or to reset your second factor."
        )


class MfaAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Encrypts secrets with the installation's key."""

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Raises `SecretKeyChanged`, which forms show as an error."""
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise SecretKeyChanged from None


def _cipher() -> Fernet:
    key = hashlib.sha256(f"rarrweb.second-factor{settings.SECRET_KEY}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
