"""Stretches of a text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of a text, `text[start:end]`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]

    def meets(self, other: "Span") -> bool:
        """Whether both have a character in common."""
        return self.start < other.end and other.start < self.end
