"""Keeps the tokens of links out of the log and out of other sites.

The path of an invitation is a secret for as long as nobody has used it. Django logs the path
of a request that it refuses, and logs are copied about more freely than databases.
"""

import logging
import re

from django.http import HttpRequest, HttpResponse


def _spelt(text: str) -> str:
    """A pattern of `text` as an address may write it: each sign itself, or percent-encoded."""
    return "".join(f"(?:{re.escape(sign)}|%(?:25)*{ord(sign):02x})" for sign in text)


SLASH = _spelt("/")
WORDS = "|".join(
    map(_spelt, ("invitations", "join", "new-password", "enter", "shared", "login/callback"))
)
SECRET_PATH = re.compile(
    rf"({SLASH}(?:{WORDS})){SLASH}.+?(?= HTTP/[\d.]+\"|\Z)", re.IGNORECASE | re.DOTALL
)
"""With all that follows: a space may stand in a broken link, and behind an entry a crowd platform
says who comes."""
WORD = re.compile(r"[\w-]{32,}", re.ASCII)
TOKEN = re.compile(r".*[A-Z].*|[0-9a-z]+-[0-9a-f]{32}")
"""Which of those words looks like a link's token, wherever it stands: names have no capitals."""


def without_tokens(text: str) -> str:
    """`text` with the tokens of links blotted out.

    >>> without_tokens("Not Found: /Invitations/k3yK3y/")
    'Not Found: /Invitations/…'
    >>> without_tokens('"GET /enter/k3y/?PROLIFIC_PID=5f1a HTTP/1.1" 200')
    '"GET /enter/… HTTP/1.1" 200'
    >>> without_tokens("/log-in/?next=%2Fcampaigns%2Fjo%69n%2Fk3yK3y%2F")
    '/log-in/?next=%2Fcampaigns%2Fjo%69n/…'
    """
    return WORD.sub(
        lambda found: "…" if TOKEN.fullmatch(found[0]) else found[0],
        SECRET_PATH.sub(r"\1/…", text),
    )


class WithoutTokens(logging.Filter):
    """A handler's filter: what Django and gunicorn log names the view, never a path or a token.

    Django adds the request to a record and its path to the message; both hold the whole address.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if not record.name.startswith(("django", "gunicorn")):
            return True
        request = record.__dict__.pop("request", None)
        if isinstance(record.args, tuple):
            path = view = None
            if isinstance(request, HttpRequest):
                path = request.path.encode("unicode_escape").decode("ascii")  # as Django logs it
                view = request.resolver_match.view_name if request.resolver_match else "no view"
            record.msg = without_tokens(str(record.msg))
            record.args = tuple(_plain(view if arg == path else arg) for arg in record.args)
        else:  # a mapping, of which the message names parts
            record.msg, record.args = without_tokens(record.getMessage()), ()
        return True


def _plain(arg: object) -> object:
    return arg if isinstance(arg, (int, float)) else without_tokens(str(arg))


def keep_address_secret(response: HttpResponse) -> HttpResponse:
    """Let no other page, ours included, learn the address of this one from `Referer`.

    Not by "no-referrer": with that a browser sends `Origin: null` with the page's own form,
    and the CSRF check rightly refuses it.
    """
    response["Referrer-Policy"] = "strict-origin"
    return response
