"""Keeps the tokens of links out of the log and out of other sites.

The path of an invitation is a secret for as long as nobody has used it. Django logs the path
of a request that it refuses, and logs are copied about more freely than databases.
"""

import logging
import re

from django.http import HttpResponse

SECRET_PATH = re.compile(r"/(invitations|campaigns/join|new-password)/[^\s?#]+")
ENTRY = re.compile(r"/enter/[^\s\"]+")
"""With what follows it: there a crowd platform says who comes."""
LOGGERS = ("django.request", "django.security.csrf", "django.server")


def without_tokens(text: str) -> str:
    """`text` with the tokens of links blotted out.

    >>> without_tokens("Not Found: /invitations/k3yK3y/")
    'Not Found: /invitations/…'
    >>> without_tokens('"GET /enter/k3y/?PROLIFIC_PID=5f1a HTTP/1.1" 200')
    '"GET /enter/… HTTP/1.1" 200'
    """
    return ENTRY.sub("/enter/…", SECRET_PATH.sub(r"/\1/…", text))


class WithoutTokens(logging.Filter):
    """Rewrites a record's message and arguments; lets every record pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = without_tokens(str(record.msg))
        if isinstance(record.args, tuple):
            record.args = tuple(
                without_tokens(arg) if isinstance(arg, str) else arg for arg in record.args
            )
        return True


def watch_logs() -> None:
    """Put the filter on the loggers that name paths; a second call changes nothing."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(found, WithoutTokens) for found in logger.filters):
            logger.addFilter(WithoutTokens())


def keep_address_secret(response: HttpResponse) -> HttpResponse:
    """Let no other page, ours included, learn the address of this one from `Referer`.

    Not by "no-referrer": with that a browser sends `Origin: null` with the page's own form,
    and the CSRF check rightly refuses it.
    """
    response["Referrer-Policy"] = "strict-origin"
    return response
