"""Protocols of the models and searches that RARR calls.

Each may raise `TransientError`, and those that parse replies `UnreadableReply`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import (
    Agreement,
    Document,
    Evidence,
    Passage,
    ProposedEdit,
    Query,
    Revision,
)
from pipeline.text.spans import Span


class SentenceSplitter(Protocol):
    """Splits a text into ordered, disjoint sentences, none blank, with white space between.

    None is longer than `LONGEST_SENTENCE`.
    """

    def __call__(self, text: str, /) -> Sequence[Span]: ...


class QueryGenerator(Protocol):
    """Generates questions about all aspects of a passage, a list per sample (section 3.1).

    A deterministic one may return a single sample. Errors replace unreadable samples; if all are
    unreadable, one is raised.
    """

    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query] | UnreadableReply]: ...


class Retriever(Protocol):
    """Returns the best documents of each query, best first, at most `limit`."""

    def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]: ...


class Relevance(Protocol):
    """Scores S_relevance(q, e) of (query, snippet) pairs; greater is more relevant."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]: ...


class AgreementModel(Protocol):
    """Decides whether y and e imply the same answer to q (section 3.2).

    `passage` is x with its context, `current` the y to judge.
    """

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement: ...


@runtime_checkable
class UngatedAgreement(AgreementModel, Protocol):
    """An agreement model that can find both answers without gating.

    `disagree` always returns `DISAGREES`, without spans if the evidence has no replacement.
    """

    def disagree(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement: ...


class EditModel(Protocol):
    """Proposes a y that agrees with e, changing as little as possible (section 3.2)."""

    def edit(
        self,
        *,
        passage: Passage,
        current: str,
        query: Query,
        evidence: Evidence,
        agreement: Agreement,
    ) -> ProposedEdit: ...


class Rewriter(Protocol):
    """Writes a new text for x from distinct evidence, at least one (EFEC, LaMDA; section 5.2)."""

    def rewrite(self, *, passage: Passage, evidence: Sequence[Evidence]) -> ProposedEdit: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailmentScore:
    """NLI probabilities of one (premise, hypothesis) pair, 0.0 to 1.0.

    Rounded to `DIGITS` decimals: further digits depend on the processor and the batch.
    """

    DIGITS: ClassVar[int] = 4

    entailed: float
    contradicted: float | None = None
    """None if the model knows two classes only."""

    def __post_init__(self) -> None:
        for name in ("entailed", "contradicted"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, round(value, self.DIGITS))


class Entailment(Protocol):
    """Scores NLI(e, s) of (premise, hypothesis) pairs (section 2.1)."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[EntailmentScore]: ...


class Decontextualizer(Protocol):
    """Rewrites sentences to be understood alone (appendix B); unchanged if unsure."""

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]: ...


ProgressCallback = Callable[[Revision], None]
"""Receives the partial revision after research and after each step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    splitter: SentenceSplitter
    query_generator: QueryGenerator
    retriever: Retriever
    relevance: Relevance
    agreement: AgreementModel
    editor: EditModel
    corrector: Rewriter | None = None
    """EFEC's editor, for the system `efec` only."""
    responder: Rewriter | None = None
    """LaMDA's response writer, for the system `lamda-research` only."""
    on_progress: ProgressCallback | None = None

    def report_progress(self, revision: Revision) -> None:
        if self.on_progress:
            self.on_progress(revision)
