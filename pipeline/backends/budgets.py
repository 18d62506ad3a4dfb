"""Budgets of runs for language models.

Calls are reserved before they are sent, so their limit holds for any number of workers (except
samples that a server sends one by one). Tokens and costs are recorded afterwards, and may exceed
their limits.
"""

import math
import threading
from dataclasses import dataclass
from typing import Protocol

from pipeline.rarr.errors import BadConfig, RarrError


class BudgetSpent(RarrError):
    """The run has reached the limit that the message names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one run; 0 is no limit."""

    calls: int = 0
    tokens: int = 0
    """Of prompts and completions together."""
    cost: float = 0.0
    """In the currency of the prices."""

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "cost"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadConfig(
                    f"budget_{name} is {getattr(self, name)}: write 0 (no limit) or more.",
                    field=f"budget_{name}",
                )

    def __bool__(self) -> bool:
        return bool(self.calls or self.tokens or self.cost)

    def refusal(self, spent: "Spent", *, calls: int) -> str:
        """Return why more calls are refused, or ""."""
        if self.calls and spent.calls + calls > self.calls:
            return f"The budget of {self.calls:,} calls is used up: {spent.calls:,} were made" + (
                f", and the next step needs {calls}." if spent.calls < self.calls else "."
            )
        if self.tokens and spent.tokens >= self.tokens:
            return f"The budget of {self.tokens:,} tokens is used up: {spent.tokens:,} were spent."
        if self.cost and spent.cost >= self.cost:
            return f"The budget of {self.cost:,g} is used up: {spent.cost:,.4g} was spent."
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0


class BudgetLedger(Protocol):
    """Enforces one budget over threads, and perhaps processes."""

    def reserve(self, calls: int) -> None:
        """Reserve calls; raises `BudgetSpent`, with none reserved."""
        ...

    def record_usage(self, *, calls: int, tokens: int, cost: float) -> None:
        """Add to what was spent; `calls` excludes reserved ones, and may be negative."""
        ...


class LocalLedger:
    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.spent = Spent()
        self._lock = threading.RLock()

    def reserve(self, calls: int) -> None:
        with self._lock:
            if refusal := self.budget.refusal(self.spent, calls=calls):
                raise BudgetSpent(refusal)
            self.record_usage(calls=calls, tokens=0, cost=0.0)

    def record_usage(self, *, calls: int, tokens: int, cost: float) -> None:
        with self._lock:
            self.spent = Spent(
                calls=self.spent.calls + calls,
                tokens=self.spent.tokens + tokens,
                cost=self.spent.cost + cost,
            )
