"""Errors of web requests: one class per reason, with a plain sentence.

A message names the address and never repeats a response: not all readers may see it.
"""

from pipeline.rarr.errors import RarrError


class FetchError(RarrError):
    """An address that cannot be read."""

    passes = False
    """Whether a later try may succeed."""


class BadUrl(FetchError):
    """An invalid or refused address: a password, a port, a disguised host."""


class NotHttps(FetchError):
    """Plain http, which is not allowed."""


class RefusedAddress(FetchError):
    """The host has an address outside the public internet."""


class TooManyRedirects(FetchError): ...


class TooLarge(FetchError):
    """The response, packed or unpacked, exceeds the limit."""


class TooSlow(FetchError):
    """The response exceeds the time."""

    passes = True


class WrongContentType(FetchError):
    """A content type that was not requested."""


class Unreachable(FetchError):
    """No such host, no connection, a wrong certificate, or no HTTP."""

    passes = True


class BadStatus(FetchError):
    """The server responded with an error."""

    def __init__(self, message: str, *, status: int, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        """Seconds that the server asks to wait."""
        self.passes = status in {408, 425, 429} or status >= 500


class RefusedByRobots(FetchError):
    """The site's robots.txt disallows the address."""


class ExcludedDomain(FetchError):
    """The run excludes the domain or does not allow it."""


class NoText(FetchError):
    """The page holds no text."""
