"""Addresses of the site, from `PUBLIC_URL`, and of sites that it links to."""

from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.http import HttpRequest

LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}


def is_local(url: SplitResult) -> bool:
    return url.hostname in LOCAL_HOSTS


def absolute(path: str, *, request: HttpRequest | None = None) -> str:
    """Prefix `path` with `PUBLIC_URL`, or with the request's host and port if that is local."""
    public: SplitResult = settings.PUBLIC_URL
    if request is not None and is_local(public):
        return str(request.build_absolute_uri(path))
    return f"{public.scheme}://{public.netloc}{path}"


def web_address(url: str) -> tuple[str, str]:
    """Return `url` and its host if it is an http(s) address, else two empty strings."""
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname or ""
    except ValueError:
        return "", ""
    return (url.strip(), host) if parts.scheme in {"http", "https"} and host else ("", "")
