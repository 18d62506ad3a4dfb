"""Costs of one passage: time, model calls, tokens, money."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace

from pipeline.backends.calls import Call, totals
from pipeline.backends.model_loading import timed_loading
from pipeline.rarr.types import Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    seconds: float = 0.0
    """Wall-clock time, without model loading; includes waiting for other passages."""
    queries: int = 0
    searches: int = 0
    model_calls: int = 0
    """Requests to a language model, including failed ones; for `compact`, calls of its models."""
    cached_calls: int = 0
    """Prompts answered from the cache, at no cost."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """Money; None without prices."""


@dataclass(slots=True, kw_only=True)
class Cost:
    """Measured work; `seconds` is set at its end."""

    calls: list[Call]
    seconds: float = 0.0
    """Wall-clock time, without model loading."""

    def usage(self, counted: Usage, *, is_asking: bool) -> Usage:
        """Add the time and, with a language model, the cost of its calls to `counted`."""
        usage = replace(counted, seconds=self.seconds)
        return replace(usage, **asdict(totals(self.calls))) if is_asking else usage


@contextmanager
def measured(calls: list[Call]) -> Iterator[Cost]:
    """Measure the work inside, whose calls are appended to `calls`."""
    start = time.perf_counter()
    with timed_loading() as loaded:
        cost = Cost(calls=calls)
        yield cost
        cost.seconds = round(time.perf_counter() - start - loaded.seconds, 6)


def count_usage(revision: Revision) -> Usage:
    judged = sum(step.evidence is not None for step in revision.trace)
    edited = sum(
        step.agreement is not None and step.agreement.opens_gate for step in revision.trace
    )
    generated = bool(revision.passage.text.strip())
    return Usage(
        queries=len(revision.queries),
        searches=len(revision.queries),
        model_calls=generated + judged + edited,
    )
