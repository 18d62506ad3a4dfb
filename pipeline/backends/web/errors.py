"""Errors of web requests.

A message names the address and never repeats a response: not all readers may see it.
"""

from pipeline.rarr.errors import RarrError


class FetchError(RarrError):
    passes = False
    """Whether a later try may succeed."""


class BadUrl(FetchError):
    """A malformed address, or a password, a port, a disguised host."""


class NotHttps(FetchError): ...


class RefusedAddress(FetchError):
    """The host has an address outside the public internet."""


class TooManyRedirects(FetchError): ...


class TooLarge(FetchError): ...


class TooSlow(FetchError):
    passes = True


class WrongContentType(FetchError): ...


class Unreachable(FetchError):
    """No such host, no connection, a wrong certificate, or no HTTP."""

    passes = True


class BadStatus(FetchError):
    def __init__(self, message: str, *, status: int, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        """Seconds that the server asks to wait."""
        self.passes = status in {408, 425, 429} or status >= 500


class RefusedByRobots(FetchError): ...


class ExcludedDomain(FetchError): ...


class NoText(FetchError): ...
