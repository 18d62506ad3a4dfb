"""What passes between the steps of RARR: frozen, keyword-only values.

Offsets are character offsets into the text they speak of, end exclusive.
"""

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from pipeline.rarr.errors import RarrError, UnreadableReply
from pipeline.text.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """x of the paper: a text that a model wrote, with the context it was written in."""

    id: str
    text: str
    context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A page of the corpus. A line that starts with 1-6 `#` and a space is a heading."""

    id: str
    title: str
    url: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """q: one question about one aspect of the passage."""

    text: str
    about: Span | None = None
    """The span of the *original* passage that the question asks for, where it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """e: a snippet of a document, kept because it bears on `query`."""

    text: str
    title: str
    url: str
    document_id: str
    query: str
    relevance: float
    """S_relevance(q, e): greater is more relevant; comparable within one relevance model."""
    heading: str = ""
    """The heading of the document under which the snippet stands."""
    start: int = 0
    """Where the snippet begins in the document's text."""
    sentences: int = 0
    """How many sentences the snippet has; 0 where nobody counted."""

    @property
    def identity(self) -> tuple[str, str]:
        """Equal where two queries found the same snippet, whatever their query and relevance."""
        return self.document_id, self.text

    @property
    def titled(self) -> str:
        """The snippet under its document's title: what relevance and entailment read."""
        return titled(title=self.title, text=self.text)


def distinct(evidence: Iterable[Iterable[Evidence]]) -> tuple[Evidence, ...]:
    """Each snippet once, as the first of several queries found it, in the order given."""
    first: dict[tuple[str, str], Evidence] = {}
    for found in evidence:
        for snippet in found:
            first.setdefault(snippet.identity, snippet)
    return tuple(first.values())


def titled(*, title: str, text: str) -> str:
    """A snippet under its title: in the middle of a page "it" stands for what the title says."""
    return f"{title}\n{text}" if title else text


class Verdict(enum.StrEnum):
    """The agreement model's answer about (y, q, e)."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    IRRELEVANT = "irrelevant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Whether y and e imply the same answer to q (section 3.2), and why."""

    verdict: Verdict
    reason: str
    passage_answer: str = ""
    evidence_answer: str = ""
    passage_span: Span | None = None
    """Where y gives its answer, in the y that was judged."""
    evidence_span: Span | None = None
    """Where e gives its answer, in `Evidence.text`."""

    @property
    def is_open(self) -> bool:
        """The gate: only a disagreement calls the edit model."""
        return self.verdict is Verdict.DISAGREES


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedEdit:
    """The edit model's new y, with the span that it says needs the change."""

    text: str
    reason: str
    entailed_before: float | None = None
    """How likely e entails what the edit changes, as it stood; 0.0 to 1.0. None where the model
    does not know."""
    entailed_after: float | None = None
    """The same of what the edit makes of it. An edit that does not raise it is rejected."""


RESEARCH = "research"
"""Where an error arose that belongs to no turn of the loop."""


class EditOutcome(enum.StrEnum):
    """What became of a step's edit."""

    NONE = "none"  # the gate stayed shut
    KEPT = "kept"
    UNCHANGED = "unchanged"  # the edit model gave the same text back
    REJECTED_CHARACTERS = "rejected-characters"  # edit distance above max_edit_characters
    REJECTED_RATIO = "rejected-ratio"  # edit distance above max_edit_ratio of len(x)
    REJECTED_ENTAILMENT = "rejected-entailment"  # the evidence does not entail more than before
    ERROR = "error"

    @property
    def is_rejection(self) -> bool:
        return self in {self.REJECTED_CHARACTERS, self.REJECTED_RATIO, self.REJECTED_ENTAILMENT}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepError:
    """A named error of one step, kept in the trace; the loop went on."""

    kind: str
    """The error class's name, e.g. `UnreadableReply`."""
    message: str
    reply: str = ""
    is_one_of_several: bool = False
    """Whether it is one sample of queries, and another one was read."""

    @classmethod
    def of(cls, error: RarrError, *, is_one_of_several: bool = False) -> Self:
        return cls(
            kind=type(error).__name__,
            message=str(error),
            reply=getattr(error, "reply", ""),
            is_one_of_several=is_one_of_several,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One turn of the loop: a query with one piece of evidence, a verdict, maybe an edit.

    `evidence` is None where the search found nothing for the query; then there is neither
    verdict nor edit.
    """

    query: Query
    evidence: Evidence | None = None
    agreement: Agreement | None = None
    edit_outcome: EditOutcome = EditOutcome.NONE
    edit_reason: str = ""
    """What the edit model said, or why the edit was rejected (with the figure and the limit)."""
    edit_distance: int | None = None
    """Levenshtein distance in characters between y before and the proposed y."""
    text_before: str
    text_after: str
    """y after the step; equals `text_before` unless the edit was kept."""
    rejected_text: str = ""
    error: StepError | None = None
    beside: tuple[Evidence, ...] = ()
    """More evidence of an edit that was made from several snippets at once (EFEC, LaMDA)."""

    @property
    def sources(self) -> tuple[Evidence, ...]:
        """All evidence that the step looked at."""
        return (self.evidence, *self.beside) if self.evidence else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A: at most M snippets that together cover the queries best (section 3.3)."""

    evidence: tuple[Evidence, ...] = ()
    coverage: float | None = None
    """Cover(A, q_1..N), equation 5; None when there is no query or no evidence."""
    covers: tuple[tuple[str, ...], ...] = ()
    """For each snippet of the report, the queries that it covers best."""
    is_exact: bool = True
    """False where there were too many snippets to prove that no other set covers more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A page that the search found and that was not read."""

    url: str
    kind: str
    """The name of what stood against it, e.g. `RefusedByRobots`; "" where nobody kept it."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """The system's result for one passage: y, A and the trace.

    All of it is about the whole of x, whatever a system gave its models to read: each step of the
    trace has the whole text before and after it, from x to y; a query's span is a place in x.
    The report is made of `evidence`, for `queries`.
    """

    passage: Passage
    text: str
    """y, the revised text."""
    queries: tuple[Query, ...] = ()
    evidence: tuple[tuple[Evidence, ...], ...] = ()
    """Parallel to `queries`: the best J snippets of each, best first."""
    trace: tuple[TraceStep, ...] = ()
    report: Report = field(default_factory=Report)
    errors: tuple[StepError, ...] = ()
    """Named errors outside the loop's turns: in query generation, retrieval or the report."""
    left_out: tuple[LeftOut, ...] = ()
    """Pages that a search found and that were not read, in the order in which they were met."""

    @property
    def is_changed(self) -> bool:
        return self.text != self.passage.text

    def is_of(self, passage: Passage) -> bool:
        """Whether the trace leads from this passage to `text`, each step from the one before."""
        before = [*(step.text_before for step in self.trace), self.text]
        after = [passage.text, *(step.text_after for step in self.trace)]
        return self.passage == passage and before == after

    @property
    def unread(self) -> tuple[tuple[str, StepError], ...]:
        """The errors for which the passage does not count as revised, each with where it arose.

        That is `RESEARCH` or a query's text, as in the public line's errors. An error of one of
        several samples of queries is none of them: y and A do not rest on it.
        """
        return (
            *((RESEARCH, error) for error in self.errors if not error.is_one_of_several),
            *((step.query.text, step.error) for step in self.trace if step.error),
        )


class NotRevised(UnreadableReply):
    """A passage whose research, gate or edit could not be read; its revision says where."""

    def __init__(self, revision: Revision) -> None:
        (where, error), *others = revision.unread
        place = "In the research" if where == RESEARCH else f"At “{where}”"
        more = f" {len(others)} more could not be read." if others else ""
        super().__init__(f"{place}: {error.message}{more}", reply=error.reply)
        self.revision = revision
