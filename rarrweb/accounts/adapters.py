"""Adapters of django-allauth; requirement and events of second factors."""

import base64
import hashlib
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.deprecation import MiddlewareMixin
from requests import RequestException

from rarrweb.accounts import audit, people
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


OPEN_PAGES = frozenset(
    {"mfa_activate_totp", "account_reauthenticate", "account_logout", "accounts:theme", "healthz"}
)
"""Pages that users can open before they set up a required second factor."""


def is_required(person: User) -> bool:
    return {
        "researchers": person.is_researcher,
        "administrators": person.is_administrator,
    }.get(settings.RARR_SECOND_FACTOR, False)


class SecondFactorMiddleware(MiddlewareMixin):
    """Redirect users to the page that sets up a second factor if they need one."""

    def process_view(
        self, request: HttpRequest, *args: object, **values: object
    ) -> HttpResponse | None:
        person = request.user
        page = request.resolver_match.view_name if request.resolver_match else ""
        if (
            not isinstance(person, User)
            or not is_required(person)
            or page in OPEN_PAGES
            or is_mfa_enabled(person, [Authenticator.Type.TOTP])
        ):
            return None
        return redirect("mfa_activate_totp")

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, SecretKeyChanged):
            context = {"message": exception.message}
            return render(request, "accounts/secret_key_changed.html", context, status=409)
        if isinstance(exception, RequestException):  # the OpenID Connect provider is unavailable
            return render(request, "socialaccount/authentication_error.html", status=503)
        return None


def reset_second_factor(person: User) -> None:
    """Remove a lost second factor, and end all sessions."""
    people.end_sessions(person)
    if Authenticator.objects.filter(user=person).delete()[0]:
        audit.record("second-factor-reset", person)


def end_other_sessions(
    sender: Any, request: HttpRequest, user: User, authenticator: Authenticator, **_signal: Any
) -> None:
    if authenticator.type != Authenticator.Type.TOTP:
        return
    has_factor = is_mfa_enabled(user, [Authenticator.Type.TOTP])
    audit.record("second-factor-on" if has_factor else "second-factor-off", user)
    people.end_sessions(user)
    user.refresh_from_db()
    update_session_auth_hash(request, user)


def record_use(sender: Any, user: User, authenticator: Authenticator, **_signal: Any) -> None:
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        audit.record("recovery-code-used", user)


def record_failure(sender: Any, user: User, **_signal: Any) -> None:
    audit.record("second-step-failed", user)
