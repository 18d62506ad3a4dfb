"""Counts of readable and unreadable replies by step."""

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import ClassVar

from pipeline.rarr.errors import UnreadableReply


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableExample:
    problem: str
    reply: str = ""
    """Its first 500 characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyCounts:
    """Replies of one step by the attempt that was readable."""

    MOST_UNREADABLE: ClassVar[float] = 0.1
    """A larger share of unreadable replies is reported."""
    EXAMPLES: ClassVar[int] = 3
    """The number of unreadable replies to store."""

    at_once: int = 0
    on_second_attempt: int = 0
    unreadable: int = 0
    examples: tuple[UnreadableExample, ...] = ()

    @classmethod
    def of(cls, error: UnreadableReply | None, *, attempts: int = 1) -> "ReplyCounts":
        """Count one reply; `error` is that of its last attempt.

        >>> ReplyCounts.of(None, attempts=2).on_second_attempt
        1
        """
        if error is None:
            return cls(at_once=int(attempts == 1), on_second_attempt=int(attempts > 1))
        return cls(
            unreadable=1, examples=(UnreadableExample(problem=str(error), reply=error.reply),)
        )

    @property
    def total(self) -> int:
        return self.at_once + self.on_second_attempt + self.unreadable

    @property
    def unreadable_share(self) -> float:
        """From 0.0 to 1.0; 0.0 without replies."""
        return self.unreadable / self.total if self.total else 0.0

    @property
    def has_many_unreadable(self) -> bool:
        return self.unreadable_share > self.MOST_UNREADABLE

    def __add__(self, other: "ReplyCounts") -> "ReplyCounts":
        return ReplyCounts(
            at_once=self.at_once + other.at_once,
            on_second_attempt=self.on_second_attempt + other.on_second_attempt,
            unreadable=self.unreadable + other.unreadable,
            examples=(*self.examples, *other.examples)[: self.EXAMPLES],
        )


class ReplyCounter:
    """Thread-safe counts of each step, in order of their first replies."""

    def __init__(self, counts: Mapping[str, ReplyCounts] | None = None) -> None:
        self.by_step: dict[str, ReplyCounts] = dict(counts or {})
        self._lock = Lock()

    def add(self, step: str, counts: ReplyCounts) -> None:
        with self._lock:
            self.by_step[step] = self.by_step.get(step, ReplyCounts()) + counts

    def count(self, step: str, error: UnreadableReply | None, *, attempts: int = 1) -> None:
        """Count a reply; `attempts` is 2 for a second attempt."""
        self.add(step, ReplyCounts.of(error, attempts=attempts))
