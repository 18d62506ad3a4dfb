"""Spans of a text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The span `text[start:end]`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]

    def meets(self, other: "Span") -> bool:
        """Check for a common character."""
        return self.start < other.end and other.start < self.end
