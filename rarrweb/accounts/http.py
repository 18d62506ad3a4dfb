"""Typed requests, with what the middleware has put on them; and where a request goes on to."""

from django.http import HttpRequest, HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails

from rarrweb.accounts.models import User


class UserRequest(HttpRequest):
    """A request of a logged-in person; `LoginRequiredMiddleware` lets no other through."""

    user: User
    htmx: HtmxDetails


def next_page(request: HttpRequest) -> str:
    """The page to go on to: `next` when it is the path of one of ours, "" otherwise."""
    wanted = request.POST.get("next", request.GET.get("next", ""))
    # `redirect` takes a text without a slash for the name of a view.
    is_ours = wanted.startswith("/") and url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else ""


def keep_address_secret(response: HttpResponse) -> HttpResponse:
    """Let no other page, ours included, learn the address of this one from `Referer`.

    Not by "no-referrer": with that a browser sends `Origin: null` with the page's own form,
    and the CSRF check rightly refuses it.
    """
    response["Referrer-Policy"] = "strict-origin"
    return response
