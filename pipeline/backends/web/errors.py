"""Why a web address was not read: one class per reason, each message one plain sentence.

A message names the address and never repeats what a server sent, because errors are shown to
people who may not see what somebody else's server says.
"""

from pipeline.rarr.errors import RarrError


class FetchError(RarrError):
    """A web address could not be read."""

    passes = False
    """Whether another try, later, may go better."""


class BadUrl(FetchError):
    """No web address, or one in a form that is refused: a password, a port, a disguised host."""


class NotHttps(FetchError):
    """Plain http where nobody allowed it."""


class RefusedAddress(FetchError):
    """The host leads to an address that is not of the public internet."""


class TooManyRedirects(FetchError):
    """The address sends on and on."""


class TooLarge(FetchError):
    """The answer, packed or unpacked, is larger than what is read."""


class TooSlow(FetchError):
    """The answer was not there, whole, within the time."""

    passes = True


class WrongContentType(FetchError):
    """The answer is of a kind that nobody asked for."""


class Unreachable(FetchError):
    """No such host, no connection, a certificate that does not fit, or no HTTP."""

    passes = True


class BadStatus(FetchError):
    """The server answered with an error."""

    def __init__(self, message: str, *, status: int, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        """Seconds that the server asks to wait, where it says so."""
        self.passes = status in {408, 425, 429} or status >= 500


class RefusedByRobots(FetchError):
    """The site's robots.txt asks programs to leave this address alone."""


class ExcludedDomain(FetchError):
    """The run excludes the domain, or does not allow it."""


class NoText(FetchError):
    """The page was read, and holds no text."""
