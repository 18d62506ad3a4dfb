"""Second factors: requirement and events."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.deprecation import MiddlewareMixin
from requests import RequestException

from rarrweb.accounts import audit, people
from rarrweb.accounts.adapters import SecretKeyChanged
from rarrweb.accounts.models import User

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


def reset(person: User) -> None:
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
