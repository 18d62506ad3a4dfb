"""What can go wrong in the loop, by name."""


class RarrError(Exception):
    """Something in the loop went wrong in a way that has a name."""


class UnreadableReply(RarrError):
    """A model answered, and the answer could not be read. Carries the reply's beginning."""

    def __init__(self, message: str, *, reply: str = "") -> None:
        super().__init__(message)
        self.reply = reply[:500]


class TransientError(RarrError):
    """Worth another try later: a time-out, a rate limit, a server that restarts."""

    def __init__(self, message: str = "", *, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait
        """Seconds that the other side asked to be left alone; 0.0 where it said nothing."""


class BadConfig(RarrError):
    """A configuration names an unknown setting or holds a value out of range.

    `field` is the name of that setting, where it is one alone.
    """

    def __init__(self, message: str = "", *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class MissingIndex(RarrError):
    """There is no search index where one was looked for."""


class RefusedPrompt(BadConfig):
    """A language model refuses one prompt, such as one that is too long for it or that its filter
    stops. It would refuse that one again; others it may answer."""
