"""The audit log: log-ins, invitations, changes of permissions, exports.

Lines name users and objects by number; they contain no name, secret or answer.
"""

import logging
from collections.abc import Mapping
from typing import Any

from django.db.models import Model
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from rarrweb.accounts.http import client_address
from rarrweb.accounts.models import ApiToken, User
from rarrweb.log_lines import current_request

ORIGIN_LENGTH = 12

logger = logging.getLogger("audit")


def record(
    action: str, subject: Model | None = None, *, by: User | None = None, **detail: str | int
) -> None:
    """Log an event of the current request; commands and workers log nothing.

    `by` defaults to the user of the request. `detail` must not contain text that users typed.
    """
    request = current_request.get()
    if request is None:
        return
    actor = by or getattr(request, "user", None)
    token = getattr(request, "auth", None)
    event = {
        "action": action,
        **({"actor": actor.pk} if isinstance(actor, User) else {}),
        **({"subject": f"{subject._meta.model_name}:{subject.pk}"} if subject else {}),
        **({"token": token.pk} if isinstance(token, ApiToken) else {}),
        **detail,
        **({"origin": origin} if (origin := _origin_of(request)) else {}),
    }
    logger.info(" ".join(f"{name}={value}" for name, value in event.items()), extra=event)


def _origin_of(request: HttpRequest) -> str:
    address = client_address(request)
    return salted_hmac("rarrweb.audit", address).hexdigest()[:ORIGIN_LENGTH] if address else ""


def record_log_in(sender: Any, user: User, **_signal: Any) -> None:
    record("logged-in", by=user)


def record_log_out(sender: Any, user: User | None, **_signal: Any) -> None:
    if user is not None:
        record("logged-out", by=user)


def record_failure(sender: Any, credentials: Mapping[str, Any], **_signal: Any) -> None:
    """Log the number of the account, not the typed name, which may be a password."""
    named = User.objects.filter(username=str(credentials.get("username", ""))).first()
    record("log-in-failed", named)


def record_connection(sender: Any, **_signal: Any) -> None:
    record("provider-connected")


def record_disconnection(sender: Any, **_signal: Any) -> None:
    record("provider-disconnected")
