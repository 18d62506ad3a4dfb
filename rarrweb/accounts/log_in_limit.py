"""How often a log-in may fail before the next attempt has to wait.

An attempt is counted before the password is looked at and taken back when it was right.
"""

import ipaddress
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from rarrweb.accounts.models import LogInFailure, User
from rarrweb.accounts.names import username_key
from rarrweb.rate_limit import count_attempt

NAME_LIMIT = 10
"""Failures for one user name from one address that are allowed within `WINDOW`. Those from other
addresses do not count: else anybody could keep the owner out."""
CODE_LIMIT = 10
"""Wrong codes of one person, from wherever: whoever tries codes has the password."""
ADDRESS_LIMIT = 50
"""Failures from one address; a whole lab may share one."""
WINDOW = timedelta(minutes=15)
NAME_LENGTH = 200
"""Signs of a name that are looked at: a longer one is nobody's."""


def count_failure(*, username: str, address: str) -> None:
    """Count an attempt as failed until `forgive` is called; raises `TooManyAttempts`."""
    _count(_name_hash(username, address), address, limit=NAME_LIMIT)


def count_wrong_code(person: User, *, address: str) -> None:
    """Count a code as wrong until `forgive_codes` is called; raises `TooManyAttempts`."""
    _count(_code_hash(person), address, limit=CODE_LIMIT)


def count_token_failure(*, address: str) -> None:
    """Count a token that lets nobody in; raises `TooManyAttempts` past `ADDRESS_LIMIT`.

    Kept apart from the log-ins of the address: a script with an old token shuts nobody out. An
    address that cannot be told is not counted; no secret of 256 bits is guessed.
    """
    if not address:
        return
    by_token = salted_hmac("rarrweb.token.address", address).hexdigest()
    attempt = LogInFailure(name_hash="", address_hash=by_token, at=timezone.now())
    count_attempt(attempt, limits={"address_hash": ADDRESS_LIMIT}, window=WINDOW)


def forgive(*, username: str, address: str) -> None:
    """Forget the failures of a name that has now shown its password at this address."""
    LogInFailure.objects.filter(name_hash=_name_hash(username, address)).delete()


def forgive_codes(person: User) -> None:
    """Forget the wrong codes of somebody who has now shown a right one."""
    LogInFailure.objects.filter(name_hash=_code_hash(person)).delete()


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
    # A server that listens for both writes an IPv4 address as ::ffff:192.0.2.1.
    address = getattr(address, "ipv4_mapped", None) or address
    if isinstance(address, ipaddress.IPv6Address):
        # One household or server gets a /64: its owner can change the rest at will.
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def _count(name_hash: str, address: str, *, limit: int) -> None:
    address_hash = _address_hash(address)
    attempt = LogInFailure(name_hash=name_hash, address_hash=address_hash, at=timezone.now())
    by_address = {"address_hash": ADDRESS_LIMIT} if address_hash else {}
    count_attempt(attempt, limits={"name_hash": limit, **by_address}, window=WINDOW)


def _name_hash(username: str, address: str) -> str:
    pair = f"{address} {username_key(username[:NAME_LENGTH])}"
    return salted_hmac("rarrweb.log-in.name", pair).hexdigest()


def _code_hash(person: User) -> str:
    return salted_hmac("rarrweb.log-in.code", str(person.pk)).hexdigest()


def _address_hash(address: str) -> str:
    return salted_hmac("rarrweb.log-in.address", address).hexdigest() if address else ""
