"""The context of a piece of work, for all its models and searches."""

from dataclasses import dataclass, field, replace
from typing import Protocol, Self, TypeVar, runtime_checkable

from pipeline.backends.budgets import Budget, BudgetLedger, LocalLedger
from pipeline.backends.calls import Call
from pipeline.backends.readings import ReplyCounter
from pipeline.backends.response_cache import NoCache, ResponseCache
from pipeline.rarr.types import SkippedPage

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkContext:
    cache: ResponseCache = field(default_factory=NoCache)
    ledger: BudgetLedger = field(default_factory=lambda: LocalLedger(Budget()))
    calls: list[Call] = field(default_factory=list)
    """Calls of language models, in the order in which they ended."""
    replies: ReplyCounter = field(default_factory=ReplyCounter)
    skipped_pages: dict[str, SkippedPage] = field(default_factory=dict)
    """By address, in order."""

    def for_passage(self) -> Self:
        """Return a context with its own records of calls and pages."""
        return replace(self, calls=[], skipped_pages={})

    def skip_page(self, url: str, *, kind: str, reason: str) -> None:
        """Record a skipped page once."""
        self.skipped_pages.setdefault(url, SkippedPage(url=url, kind=kind, reason=reason))


@runtime_checkable
class WorkPart(Protocol):
    def for_work(self, work: WorkContext) -> Self: ...


def for_work(part: Part, work: WorkContext) -> Part:
    """Bind a model or search to a context, where it needs one."""
    return part.for_work(work) if isinstance(part, WorkPart) else part
