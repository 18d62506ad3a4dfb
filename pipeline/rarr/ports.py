"""The doors through which RARR reaches models and searches: one verb each.

Each may raise `TransientError`; those that read a model's reply raise `UnreadableReply`.
All take batches where a batch can save a round trip.
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
    """The sentences of a text, in order; none overlaps, none is blank, gaps are white space.

    None is longer than `LONGEST_SENTENCE`.
    """

    def __call__(self, text: str, /) -> Sequence[Span]: ...


class QueryGenerator(Protocol):
    """Questions about all aspects of a passage: one list a sample (CQGen, section 3.1).

    A deterministic generator may return one sample, whatever `samples` asks for. A sample that
    could not be read is replaced by the error; where none could be read, the error is raised.
    """

    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query] | UnreadableReply]: ...


class Retriever(Protocol):
    """The best documents for each query, best first: one list a query, at most `limit` long."""

    def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]: ...


class Relevance(Protocol):
    """S_relevance(q, e) of each (query, snippet) pair; greater is more relevant."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]: ...


class AgreementModel(Protocol):
    """Whether y and e imply the same answer to q (section 3.2).

    `passage` is x with its context; `current` is the y to judge.
    """

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement: ...


@runtime_checkable
class UngatedAgreement(AgreementModel, Protocol):
    """An agreement model whose editor cannot do without the two answers.

    `disagree` finds them where `judge` would find no disagreement: always `DISAGREES`, and
    without spans where the evidence has nothing to put in the passage's place.
    """

    def disagree(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement: ...


class EditModel(Protocol):
    """A new y that agrees with e and otherwise changes as little as it can (section 3.2)."""

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
    """A new text for x made from all of its evidence at once (EFEC and LaMDA, section 5.2).

    It may change as much as it likes; `evidence` holds each snippet once and is never empty.
    """

    def rewrite(self, *, passage: Passage, evidence: Sequence[Evidence]) -> ProposedEdit: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Entailed:
    """What an NLI model says of one (premise, hypothesis) pair; probabilities, 0.0 to 1.0.

    They are kept to `DIGITS` decimals: what lies behind depends on the processor and on what else
    was in the batch, and would decide between equals.
    """

    DIGITS: ClassVar[int] = 4

    entailed: float
    contradicted: float | None = None
    """None where the model knows only entailed or not."""

    def __post_init__(self) -> None:
        for name in ("entailed", "contradicted"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, round(value, self.DIGITS))


class Entailment(Protocol):
    """NLI(e, s) of each (premise, hypothesis) pair (section 2.1)."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Entailed]: ...


class Decontextualizer(Protocol):
    """Each sentence rewritten so that it stands alone (appendix B); unchanged where unsure."""

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]: ...


Watcher = Callable[[Revision], None]
"""Told of a passage's revision as far as it has come: its queries, its evidence, each turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """The models that one run of a system works with."""

    splitter: SentenceSplitter
    query_generator: QueryGenerator
    retriever: Retriever
    relevance: Relevance
    agreement: AgreementModel
    editor: EditModel
    corrector: Rewriter | None = None
    """EFEC's editor; only the system `efec` needs it."""
    responder: Rewriter | None = None
    """LaMDA's third step, the revised response; only `lamda-research` needs it."""
    watcher: Watcher | None = None
    """Told after each step; None where nobody watches. Decides nothing."""

    def tell(self, revision: Revision) -> None:
        """Tell the watcher, if there is one, how far the revision has come."""
        if self.watcher:
            self.watcher(revision)
