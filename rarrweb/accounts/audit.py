"""The audit log: who signed in, let whom in, changed what may be done, took which data out.

A row names people and things by their numbers, so that it holds no name, no secret and no answer.
`rarrweb.accounts.append_only` keeps rows as they were written.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from rarrweb.accounts.append_only import KEPT_DAYS
from rarrweb.accounts.log_in_limit import client_address
from rarrweb.accounts.models import ApiToken, AuditEvent, User

ACTIONS: Mapping[str, str] = MappingProxyType(
    {
        "signed-in": "signed in",
        "sign-in-failed": "failed to sign in",
        "signed-out": "signed out",
        "signed-out-elsewhere": "signed out of all other devices",
        "second-factor-on": "set up a second factor",
        "second-factor-off": "removed a second factor",
        "second-factor-reset": "took off a lost second factor",
        "second-step-failed": "failed at the second step",
        "recovery-code-used": "used a recovery code",
        "provider-connected": "connected a provider’s account",
        "provider-disconnected": "disconnected a provider’s account",
        "password-changed": "changed the password",
        "password-link-made": "made a link to a new password",
        "password-chosen": "chose a password by a link",
        "link-made": "made an invitation",
        "link-renewed": "renewed an invitation",
        "link-withdrawn": "withdrew an invitation",
        "link-accepted": "accepted an invitation",
        "role-changed": "changed a role",
        "deactivated": "deactivated an account",
        "reactivated": "reactivated an account",
        "token-made": "made an API token",
        "token-revoked": "revoked an API token",
        "member-added": "let somebody take part",
        "member-removed": "ended somebody’s part",
        "claimed": "was given an item",
        "guidelines-changed": "changed instructions",
        "consent-changed": "changed the consent text",
        "shared": "made a public link",
        "unshared": "ended a public link",
        "entry-changed": "changed a crowd entry",
        "exported": "took data out",
        "erased": "erased a person’s data",
        "deleted": "deleted",
    }
)
ORIGIN_SIGNS = 12

_request: ContextVar[HttpRequest | None] = ContextVar("audited request", default=None)


class AuditMiddleware:
    """Lets `record` know on whose request something happens, and from where."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        before = _request.set(request)
        try:
            return self.get_response(request)
        finally:
            _request.reset(before)


def record(
    action: str,
    subject: Model | None = None,
    *,
    by: User | None = None,
    request: HttpRequest | None = None,
    **detail: str | int,
) -> None:
    """Add a row, in the caller's transaction.

    `by` is whoever sent the current request, where it is not given; nobody, outside of one. Write
    into `detail` what was chosen from a list, never what somebody typed.
    """
    if action not in ACTIONS:
        raise ValueError(f"{action!r} is none of {sorted(ACTIONS)}")
    request = request or _request.get()
    token = getattr(request, "auth", None)
    if isinstance(token, ApiToken):
        detail["token"] = token.pk
    AuditEvent.objects.create(
        action=action,
        actor_id=(by or _user_of(request) or User()).pk,
        subject=f"{subject._meta.model_name} {subject.pk}" if subject is not None else "",
        origin=_origin_of(request),
        detail=detail,
    )


def forget_old() -> None:
    """Delete what is older than `KEPT_DAYS`."""
    AuditEvent.objects.filter(at__lt=timezone.now() - timedelta(days=KEPT_DAYS)).delete()


def _user_of(request: HttpRequest | None) -> User | None:
    user: User | AnonymousUser | None = getattr(request, "user", None)
    return user if isinstance(user, User) else None


def _origin_of(request: HttpRequest | None) -> str:
    """Equal for the same address: enough to see what came from one place, without keeping it."""
    address = client_address(request) if request is not None else ""
    return salted_hmac("rarrweb.audit", address).hexdigest()[:ORIGIN_SIGNS] if address else ""


def record_sign_in(sender: Any, request: HttpRequest, user: User, **_signal: Any) -> None:
    record("signed-in", by=user, request=request)


def record_sign_out(sender: Any, request: HttpRequest, user: User | None, **_signal: Any) -> None:
    if user is not None:
        record("signed-out", by=user, request=request)


def record_failure(
    sender: Any, credentials: Mapping[str, Any], request: HttpRequest | None = None, **_signal: Any
) -> None:
    """What was typed as a name is kept only as the account that has it: it may be a password."""
    named = User.objects.filter(username=str(credentials.get("username", ""))).first()
    record("sign-in-failed", named, request=request)
