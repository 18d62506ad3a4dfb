"""What the work on one passage costs: time, calls of models, tokens, money."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pipeline.backends.calls import CallLog, logged, totals
from pipeline.backends.model_loading import timed_loading
from pipeline.rarr.types import Revision, Usage


@dataclass(slots=True, kw_only=True)
class Cost:
    """What work took, without the loading of models; the times are known when it is over."""

    calls: CallLog
    seconds: float = 0.0
    """By the clock."""
    working_seconds: float = 0.0
    """Of the processor, in this thread."""

    def usage(self, counted: Usage, *, is_asking: bool) -> Usage:
        """What was counted with the time it took and, where a language model is asked, what its
        calls cost.
        """
        usage = replace(
            counted,
            seconds=self.seconds,
            calling_seconds=round(self.calls.calling_seconds, 6),
            working_seconds=self.working_seconds,
        )
        return replace(usage, **totals(self.calls).as_usage()) if is_asking else usage


@contextmanager
def measured() -> Iterator[Cost]:
    """The cost of what is done inside."""
    start, start_work = time.perf_counter(), time.thread_time()
    with logged() as calls, timed_loading() as loaded:
        cost = Cost(calls=calls)
        yield cost
        cost.seconds = round(time.perf_counter() - start - loaded.seconds, 6)
        cost.working_seconds = round(time.thread_time() - start_work - loaded.working_seconds, 6)


def count_usage(revision: Revision) -> Usage:
    """How often the models were asked, as the trace tells."""
    judged = sum(step.evidence is not None for step in revision.trace)
    edited = sum(step.agreement is not None and step.agreement.is_open for step in revision.trace)
    generated = bool(revision.passage.text.strip())
    return Usage(
        queries=len(revision.queries),
        searches=len(revision.queries),
        model_calls=generated + judged + edited,
        speculated_calls=revision.reasked_gates,
    )
