"""Protocols of the models and searches that RARR calls.

Each may raise `TransientError`; those that parse replies may raise `UnreadableReply`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import (
    Agreement,
    Document,
    EntailmentScore,
    Evidence,
    Passage,
    ProposedEdit,
    Query,
    Revision,
)
from pipeline.text.spans import Span


class SentenceSplitter(Protocol):
    """Splits a text into ordered, disjoint sentences with only white space between them.

    Each has 1 to `pipeline.text.sentences.LONGEST_SENTENCE` characters and is not blank.
    """

    def __call__(self, text: str, /) -> Sequence[Span]: ...


class QueryGenerator(Protocol):
    """Generates questions about all aspects of a passage (section 3.1).

    Returns for each sample its queries, or an `UnreadableReply`. A deterministic generator may
    return a single sample. Raises `UnreadableReply` if all samples are unreadable.
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
    """Decides whether y and e imply the same answer to q (section 3.2): the gate before edits.

    `passage` is x with its context, `current` the y to judge.
    """

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement: ...


@runtime_checkable
class AssumesDisagreement(AgreementModel, Protocol):
    """An agreement model that can also return the answers of y and e without judging them.

    The verdict is `DISAGREES`; spans are None if e has no answer to put into y.
    """

    def assume_disagreement(
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
    """Rewrites x from one or more distinct snippets (EFEC, LaMDA; section 5.2)."""

    def rewrite(self, *, passage: Passage, evidence: Sequence[Evidence]) -> ProposedEdit: ...


class Entailment(Protocol):
    """Scores NLI(e, s) of (premise, hypothesis) pairs (section 2.1)."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[EntailmentScore]: ...


class Decontextualizer(Protocol):
    """Rewrites sentences of a passage to be understood alone (appendix B).

    Returns a sentence unchanged if in doubt.
    """

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]: ...


ProgressCallback = Callable[[Revision], None]
"""Receives the partial revision after queries, after retrieval and after each step of the loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    splitter: SentenceSplitter
    query_generator: QueryGenerator
    retriever: Retriever
    relevance: Relevance
    agreement_model: AgreementModel
    edit_model: EditModel
    corrector: Rewriter | None = None
    """For the system `efec` only."""
    responder: Rewriter | None = None
    """For the system `lamda-research` only."""
    on_progress: ProgressCallback | None = None

    def report_progress(self, revision: Revision) -> None:
        if self.on_progress:
            self.on_progress(revision)
