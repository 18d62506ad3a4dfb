"""The client's address."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the client's address, its /64 network for IPv6, or "" if unknown.

    With an https `PUBLIC_URL`, a proxy appends it to `X-Forwarded-For`; the rest can be forged.
    """
    text = request.META.get("REMOTE_ADDR", "")
    if settings.PUBLIC_URL.scheme == "https":
        text = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip() or text
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    # A dual-stack server writes an IPv4 address as ::ffff:192.0.2.1.
    address = getattr(address, "ipv4_mapped", None) or address
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
