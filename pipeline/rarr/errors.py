"""Errors of the algorithm and its ports."""


class RarrError(Exception):
    """Base class of the algorithm's errors."""


class UnreadableReply(RarrError):
    """A model's reply cannot be parsed. `reply` is its first 500 characters."""

    def __init__(self, message: str, *, reply: str = "") -> None:
        super().__init__(message)
        self.reply = reply[:500]


class TransientError(RarrError):
    """The call may succeed later, after a time-out, a rate limit or a restart."""

    def __init__(self, message: str = "", *, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait
        """Seconds to wait, as the server requests; 0.0 if unknown."""


class BadConfig(RarrError):
    """A setting is unknown, invalid or out of range. `field` is its name or ""."""

    def __init__(self, message: str = "", *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class MissingIndex(RarrError):
    """The search index does not exist."""


class RefusedPrompt(RarrError):
    """A language model refuses this prompt, as too long or filtered: no retry helps."""
