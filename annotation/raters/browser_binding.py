"""Recognises a participant's browser by a random mark in a signed cookie.

An id in an address proves nothing, so a participant who returns must show the browser too.
"""

import secrets

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

COOKIE = "rarrweb_browser"
SALT = "annotation.raters.browser_binding"
SECONDS = 365 * 24 * 3600


def mark_of(request: HttpRequest) -> str:
    """The browser's mark; a new one if it has none, or none that we signed."""
    known = request.get_signed_cookie(COOKIE, default="", salt=SALT, max_age=SECONDS)
    return known or secrets.token_urlsafe(32)


def remember(response: HttpResponse, mark: str) -> None:
    """Give the browser its mark, sent to entries only and hidden from scripts."""
    response.set_signed_cookie(
        COOKIE,
        mark,
        salt=SALT,
        max_age=SECONDS,
        path=reverse("annotation:enter", args=["-"]).removesuffix("-/"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
