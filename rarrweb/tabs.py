"""The tabs of an object's pages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """One tab: its word, its page, and how many things stand there where that can be said."""

    label: str
    url: str
    is_current: bool
    count: int | None = None
