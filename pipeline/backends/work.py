"""What the work at hand uses and records: one object, given to all that ask models and searches.

Models are made once a process and serve many works; `for_work` gives each as it serves one.
"""

from dataclasses import dataclass, field, replace
from typing import Protocol, Self, TypeVar, runtime_checkable

from pipeline.backends.answers import Answers, NoAnswers
from pipeline.backends.budgets import Budget, BudgetLedger, LocalLedger
from pipeline.backends.calls import Call
from pipeline.backends.readings import ReplyCounter
from pipeline.rarr.types import SkippedPage

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkContext:
    """Where a piece of work finds known answers and what pays for it, and what came of it."""

    answers: Answers = field(default_factory=NoAnswers)
    ledger: BudgetLedger = field(default_factory=lambda: LocalLedger(Budget()))
    calls: list[Call] = field(default_factory=list)
    """The calls of language models, in the order in which they ended."""
    replies: ReplyCounter = field(default_factory=ReplyCounter)
    left_out: dict[str, SkippedPage] = field(default_factory=dict)
    """The pages left out, by address, in the order in which they were noticed."""

    def for_passage(self) -> Self:
        """The work on one of several passages: its calls and pages are its own."""
        return replace(self, calls=[], left_out={})

    def leave_out(self, url: str, *, kind: str, reason: str) -> None:
        """Enter a page that is left out, once."""
        self.left_out.setdefault(url, SkippedPage(url=url, kind=kind, reason=reason))


@runtime_checkable
class WorkPart(Protocol):
    """A model or a search that asks known answers, pays or records."""

    def for_work(self, work: WorkContext) -> Self: ...


def for_work(part: Part, work: WorkContext) -> Part:
    """The model or search as it serves a work; itself where it uses nothing of it."""
    return part.for_work(work) if isinstance(part, WorkPart) else part
