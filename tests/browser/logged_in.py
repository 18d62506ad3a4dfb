"""Logs in browsers without the form."""

from typing import Any

from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext

from rarrweb.accounts.models import User

Cookie = dict[str, Any]
"""As Playwright takes it."""


def session_cookie(who: User | Client, url: str) -> Cookie:
    client = who if isinstance(who, Client) else Client()
    if isinstance(who, User):
        client.force_login(who)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    return {"name": settings.SESSION_COOKIE_NAME, "value": session, "url": url}


def log_in_as(context: BrowserContext, who: User | Client, url: str) -> None:
    context.add_cookies([session_cookie(who, url)])
