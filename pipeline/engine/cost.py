"""What the work on one passage costs: time, calls of models, tokens, money."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pipeline.backends.calls import Call, totals
from pipeline.backends.model_loading import timed_loading
from pipeline.rarr.types import Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one passage cost."""

    seconds: float = 0.0
    """By the clock from beginning to end, without the loading of models: with what it waited for
    passages beside it."""
    queries: int = 0
    searches: int = 0
    model_calls: int = 0
    """Requests to a language model, failed ones too; of `compact`, how often it was asked."""
    cached_calls: int = 0
    """Prompts whose answer was known already: they cost nothing."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """Money; None where nobody said what a token costs."""


@dataclass(slots=True, kw_only=True)
class Cost:
    """What work took; the time is known when it is over."""

    calls: list[Call]
    seconds: float = 0.0
    """By the clock, without the loading of models."""

    def usage(self, counted: Usage, *, is_asking: bool) -> Usage:
        """What was counted with the time it took and, where a language model is asked, what its
        calls cost.
        """
        usage = replace(counted, seconds=self.seconds)
        return replace(usage, **totals(self.calls).as_usage()) if is_asking else usage


@contextmanager
def measured(calls: list[Call]) -> Iterator[Cost]:
    """The cost of what is done inside, whose calls are entered in `calls`."""
    start = time.perf_counter()
    with timed_loading() as loaded:
        cost = Cost(calls=calls)
        yield cost
        cost.seconds = round(time.perf_counter() - start - loaded.seconds, 6)


def count_usage(revision: Revision) -> Usage:
    """How often the models were asked, as the trace tells."""
    judged = sum(step.evidence is not None for step in revision.trace)
    edited = sum(step.agreement is not None and step.agreement.is_open for step in revision.trace)
    generated = bool(revision.passage.text.strip())
    return Usage(
        queries=len(revision.queries),
        searches=len(revision.queries),
        model_calls=generated + judged + edited,
    )
