"""The values that RARR's components exchange.

Spans are character offsets, end exclusive.
"""

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Self

from pipeline.rarr.errors import RarrError, UnreadableReply
from pipeline.text.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """x: a text written by a model, and the context it was written in."""

    id: str
    text: str
    context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document of the corpus, or a web page."""

    id: str
    title: str
    url: str
    text: str
    """Lines that start with 1-6 `#` and white space are headings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """q: a question about one aspect of the passage."""

    text: str
    about: Span | None = None
    """The span of the original passage, not of y, that it asks about; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """e: a snippet of a document, found for `query`."""

    text: str
    title: str
    url: str
    document_id: str
    query: str
    relevance: float
    """S_relevance(q, e): greater is more relevant; comparable only within one model."""
    heading: str = ""
    """The heading above the snippet in the document."""
    start: int = 0
    """Offset in the document's text."""
    sentences: int = 0
    """Number of sentences; 0 if unknown."""

    @property
    def identity(self) -> tuple[str, str]:
        """Equal for the same snippet, whatever its query and relevance."""
        return self.document_id, self.text

    @property
    def titled_text(self) -> str:
        """The input of relevance and entailment models."""
        return with_title(self.text, title=self.title)


def distinct(evidence: Iterable[Iterable[Evidence]]) -> tuple[Evidence, ...]:
    """Return each snippet of all queries once, as first found."""
    by_identity: dict[tuple[str, str], Evidence] = {}
    for snippets in evidence:
        for snippet in snippets:
            by_identity.setdefault(snippet.identity, snippet)
    return tuple(by_identity.values())


def with_title(text: str, *, title: str) -> str:
    """Prefix a snippet with its document's title, which pronouns may refer to."""
    return f"{title}\n{text}" if title else text


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailmentScore:
    """NLI probabilities of one (premise, hypothesis) pair, 0.0 to 1.0.

    Rounded to `DIGITS` decimals: further digits depend on the processor and the batch.
    """

    DIGITS: ClassVar[int] = 4

    entailed: float
    contradicted: float | None = None
    """None if the model knows two classes only."""
    reason: str = ""
    """Names the contradicted value and the premise's, if known."""

    def __post_init__(self) -> None:
        for name in ("entailed", "contradicted"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, round(value, self.DIGITS))


class Verdict(enum.StrEnum):
    """Whether y agrees with e about q (section 3.2)."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    IRRELEVANT = "irrelevant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A verdict with its reason and, if known, the answers of y and e to q."""

    verdict: Verdict
    reason: str
    passage_answer: str = ""
    evidence_answer: str = ""
    passage_span: Span | None = None
    """The span of `passage_answer` in y."""
    evidence_span: Span | None = None
    """The span of `evidence_answer` in `Evidence.text`."""

    @property
    def opens_gate(self) -> bool:
        """Only disagreement leads to the edit model."""
        return self.verdict is Verdict.DISAGREES


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedEdit:
    """The edit model's new y with its reason."""

    text: str
    reason: str
    entailed_before: float | None = None
    """Probability that e entails the statement to change, 0.0 to 1.0; None if unknown."""
    entailed_after: float | None = None
    """The same for the changed statement; the edit is rejected unless this is higher."""


class EditOutcome(enum.StrEnum):
    NONE = "none"  # no edit requested
    ACCEPTED = "kept"  # its earlier name, in stored data
    UNCHANGED = "unchanged"
    REJECTED_CHARACTERS = "rejected-characters"  # edit distance > max_edit_characters
    REJECTED_RATIO = "rejected-ratio"  # edit distance > max_edit_ratio * len(x)
    REJECTED_ENTAILMENT = "rejected-entailment"  # entailment not higher than before
    ERROR = "error"  # an unreadable verdict or edit, or a blank rewrite

    @property
    def is_rejection(self) -> bool:
        return self in {self.REJECTED_CHARACTERS, self.REJECTED_RATIO, self.REJECTED_ENTAILMENT}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepError:
    """A `RarrError` as a value."""

    kind: str
    """The error class, e.g. `UnreadableReply`."""
    message: str
    reply: str = ""
    is_tolerated: bool = False
    """An unreadable sample of queries; as another was readable, the revision goes on."""

    @classmethod
    def of(cls, error: RarrError, *, is_tolerated: bool = False) -> Self:
        return cls(
            kind=type(error).__name__,
            message=str(error),
            reply=getattr(error, "reply", ""),
            is_tolerated=is_tolerated,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One step of the loop: a query, one piece of evidence, a verdict, perhaps an edit.

    `evidence` is None if the search found nothing or failed.
    """

    query: Query
    evidence: Evidence | None = None
    agreement: Agreement | None = None
    edit_outcome: EditOutcome = EditOutcome.NONE
    edit_reason: str = ""
    """The edit model's reason; of a rejected edit, why it was rejected."""
    edit_distance: int | None = None
    """Levenshtein distance in characters between `text_before` and the proposed text."""
    text_before: str
    text_after: str
    """Equals `text_before` unless the edit was accepted."""
    rejected_text: str = ""
    error: StepError | None = None
    additional_evidence: tuple[Evidence, ...] = ()
    """The other snippets, if the step used several at once (EFEC, LaMDA)."""

    @property
    def all_evidence(self) -> tuple[Evidence, ...]:
        """All evidence that the step used."""
        return (self.evidence, *self.additional_evidence) if self.evidence else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A: at most M snippets that cover the queries best (section 3.3); for LaMDA all evidence."""

    evidence: tuple[Evidence, ...] = ()
    coverage: float | None = None
    """Cover(A, q_1..N), equation 5; None without queries or evidence, and for LaMDA."""
    covers: tuple[tuple[str, ...], ...] = ()
    """Parallel to `evidence`: the queries that each snippet covers best; ties go to the first.

    Of LaMDA's report: the queries that found the snippet.
    """
    is_exact: bool = True
    """False if there were too many snippets to try all sets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedPage:
    """A page in the search results that was not read."""

    url: str
    kind: str
    """The error class, e.g. `RefusedByRobots`; "" if unknown."""
    reason: str


OUTSIDE_TRACE = "research"
"""Origin of a revision's errors in research or report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """The result for one passage: y, A and the trace from x to y."""

    passage: Passage
    text: str
    """y"""
    queries: tuple[Query, ...] = ()
    evidence: tuple[tuple[Evidence, ...], ...] = ()
    """Parallel to `queries`: at most J snippets of each page in the results, best first."""
    trace: tuple[TraceStep, ...] = ()
    report: Report = field(default_factory=Report)
    errors: tuple[StepError, ...] = ()
    """Errors outside the loop: in query generation, retrieval or the report."""
    skipped_pages: tuple[SkippedPage, ...] = ()

    @property
    def is_changed(self) -> bool:
        return self.text != self.passage.text

    def used_evidence(self, per_query: int) -> tuple[tuple[Evidence, ...], ...]:
        """Return each query's first `per_query` (J) snippets, which are judged and reported."""
        return tuple(snippets[:per_query] for snippets in self.evidence)

    def is_consistent_with(self, passage: Passage) -> bool:
        """Check that the trace leads from this passage to `text` without gaps."""
        expected = [passage.text, *(step.text_after for step in self.trace)]
        actual = [*(step.text_before for step in self.trace), self.text]
        return self.passage == passage and actual == expected

    @property
    def fatal_errors(self) -> tuple[tuple[str, StepError], ...]:
        """(origin, fatal error); the origin is `OUTSIDE_TRACE` or the query's text."""
        return (
            *((OUTSIDE_TRACE, error) for error in self.errors if not error.is_tolerated),
            *((step.query.text, step.error) for step in self.trace if step.error),
        )


class RevisionFailed(UnreadableReply):
    """A revision has fatal errors: replies that cannot be parsed."""

    def __init__(self, revision: Revision) -> None:
        (origin, error), *others = revision.fatal_errors
        where = "In the research" if origin == OUTSIDE_TRACE else f"At “{origin}”"
        more = f" {len(others)} more could not be read." if others else ""
        super().__init__(f"{where}: {error.message}{more}", reply=error.reply)
        self.revision = revision
