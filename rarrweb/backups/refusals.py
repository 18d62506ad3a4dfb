"""What stops a copy."""


class Refused(Exception):
    """A copy cannot be made, used or moved; the message says why and what to do about it."""
