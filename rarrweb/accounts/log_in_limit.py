"""How often a log-in may fail before the next attempt has to wait.

The count is kept in the database, so that it holds for every web process together. An
attempt is counted before the password is looked at and taken back when it was right: many
attempts at the same moment cannot slip past the limit.
"""

import ipaddress
import math
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from rarrweb.accounts.models import LogInFailure

NAME_LIMIT = 10
"""Failures for one user name, from wherever, that are allowed within `WINDOW`."""
ADDRESS_LIMIT = 50
"""Failures from one address; a whole lab may share one."""
WINDOW = timedelta(minutes=15)


class TooManyFailures(Exception):
    """The attempt was not looked at; `seconds` says after what time one will be."""

    def __init__(self, *, seconds: int) -> None:
        super().__init__(f"too many failed log-ins, wait {seconds} s")
        self.seconds = seconds

    @property
    def minutes(self) -> int:
        return math.ceil(self.seconds / 60)


def count_attempt(*, username: str, address: str) -> LogInFailure:
    """Count an attempt as failed until `forgive` is called; raises `TooManyFailures`."""
    now = timezone.now()
    LogInFailure.objects.filter(at__lt=now - WINDOW).delete()
    attempt = LogInFailure.objects.create(
        name_hash=_name_hash(username), address_hash=_address_hash(address), at=now
    )
    limits = [(LogInFailure.objects.filter(name_hash=attempt.name_hash), NAME_LIMIT)]
    if attempt.address_hash:
        from_there = LogInFailure.objects.filter(address_hash=attempt.address_hash)
        limits.append((from_there, ADDRESS_LIMIT))
    free_at = max(_free_at(failures.exclude(pk=attempt.pk), limit) for failures, limit in limits)
    if free_at > now:
        # An attempt that was refused is no failure: whoever waits is not kept waiting by it.
        attempt.delete()
        raise TooManyFailures(seconds=max(1, math.ceil((free_at - now).total_seconds())))
    return attempt


def forgive(username: str) -> None:
    """Forget the failures of a name that has now shown its password."""
    LogInFailure.objects.filter(name_hash=_name_hash(username)).delete()


def client_address(request: HttpRequest) -> str:
    """The address the request came from, or "" when it cannot be told.

    With an https `PUBLIC_URL` a proxy of ours stands in front, and the last entry of
    `X-Forwarded-For` is what that proxy saw; earlier entries are the client's own words.
    Without one the header could be anyone's invention and is ignored.
    """
    text = request.META.get("REMOTE_ADDR", "")
    if settings.PUBLIC_URL.scheme == "https":
        text = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip() or text
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        # One household or server gets a /64: its owner can change the rest at will.
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def _free_at(failures: "QuerySet[LogInFailure]", limit: int) -> datetime:
    """When fewer than `limit` of `failures` will be within the window."""
    newest = failures.order_by("-at").values_list("at", flat=True)
    blocking = newest[limit - 1 : limit].first()
    return blocking + WINDOW if blocking else timezone.now() - WINDOW


def _name_hash(username: str) -> str:
    return salted_hmac("rarrweb.log-in.name", username.strip().casefold()).hexdigest()


def _address_hash(address: str) -> str:
    return salted_hmac("rarrweb.log-in.address", address).hexdigest() if address else ""
