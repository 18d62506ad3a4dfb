"""The type of authenticated requests, and helpers for redirects and responses."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails

from rarrweb.accounts.models import User


class UserRequest(HttpRequest):
    """A request that passed `LoginRequiredMiddleware`."""

    user: User
    htmx: HtmxDetails


def next_page(request: HttpRequest) -> str:
    """Return the parameter `next` if it is a path of this site, else ""."""
    wanted = request.POST.get("next", request.GET.get("next", ""))
    # `redirect` reads a text without a slash as the name of a view.
    is_ours = wanted.startswith("/") and url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else ""


def keep_address_secret(response: HttpResponse) -> HttpResponse:
    """Keep the page's address out of `Referer`; "no-referrer" would break the CSRF check."""
    response["Referrer-Policy"] = "strict-origin"
    return response


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
