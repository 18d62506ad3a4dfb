"""The addresses that the site is reached by, all from `PUBLIC_URL`, and those it links to."""

from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.http import HttpRequest

LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}


def is_local(url: SplitResult) -> bool:
    """Whether the address leads to this machine, wherever it is typed."""
    return url.hostname in LOCAL_HOSTS


def absolute(path: str, *, request: HttpRequest | None = None) -> str:
    """The address to hand out for `path`: `PUBLIC_URL`, which people outside can reach.

    A local installation may run on another port than `PUBLIC_URL` says, so there the
    request's own address is the better one.
    """
    public: SplitResult = settings.PUBLIC_URL
    if request is not None and is_local(public):
        return str(request.build_absolute_uri(path))
    return f"{public.scheme}://{public.netloc}{path}"


def web_address(url: str) -> tuple[str, str]:
    """`url` and its host if it is an http(s) address that may become a link, else two ""."""
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname or ""
    except ValueError:
        return "", ""
    return (url.strip(), host) if parts.scheme in {"http", "https"} and host else ("", "")
