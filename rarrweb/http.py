"""Typed requests: what the middleware has put on a request by the time a view sees it."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from rarrweb.accounts.models import User


class UserRequest(HttpRequest):
    """A request of a logged-in person; `LoginRequiredMiddleware` lets no other through."""

    user: User
    htmx: HtmxDetails
