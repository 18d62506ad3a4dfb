"""The address that a request came from."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address the request came from, or "" when it is unknown.

    With an https `PUBLIC_URL` a proxy of ours is in front, and the last entry of
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
