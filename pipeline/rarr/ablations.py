"""RARR's ablations (section 6.2), and its research alone."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import add_report, revise
from pipeline.rarr.ports import AgreementModel, AssumesDisagreement, Components
from pipeline.rarr.research import research
from pipeline.rarr.types import Agreement, Evidence, Passage, Query, Revision, Verdict
from pipeline.text.spans import Span

MIN_EVIDENCE_PER_QUERY = 3
"""Minimum J if the passage is the only query."""


def revise_without_agreement(
    passage: Passage, *, components: Components, config: RarrConfig
) -> Revision:
    """RARR without its agreement model: every evidence leads to an edit (ablation).

    Section 6.2, Table 2.
    """
    ungated = replace(components, agreement_model=OpenGate(components.agreement_model))
    return revise(passage, components=ungated, config=config)


def revise_by_passage_query(
    passage: Passage, *, components: Components, config: RarrConfig
) -> Revision:
    """RARR with the whole passage as its query (ablation).

    J is at least 3 (section 6.2, Table 2).
    """
    generator = QuotingQueryGenerator(lambda text: [Span(start=0, end=len(text))])
    return revise(
        passage,
        components=replace(components, query_generator=generator),
        config=replace(
            config, evidence_per_query=max(MIN_EVIDENCE_PER_QUERY, config.evidence_per_query)
        ),
    )


def revise_by_sentence_queries(
    passage: Passage, *, components: Components, config: RarrConfig
) -> Revision:
    """RARR with each sentence as a query (ablation).

    Section 6.2, Tables 2 and 3.
    """
    generator = QuotingQueryGenerator(components.splitter)
    return revise(passage, components=replace(components, query_generator=generator), config=config)


def only_research(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    """Retrieve evidence, leave the text unchanged (baseline).

    The "before" of Table 1: y = x.
    """
    revision = research(passage, components=components, config=config)
    return add_report(revision, components=components, config=config)


class OpenGate:
    """Judges that all evidence `DISAGREES`.

    If the model `AssumesDisagreement`, its answers of y and e come with the verdict.
    """

    REASON = "This system has no agreement model: every piece of evidence goes to the edit model."

    def __init__(self, model: AgreementModel) -> None:
        self._model = model

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        if not isinstance(self._model, AssumesDisagreement):
            return Agreement(verdict=Verdict.DISAGREES, reason=self.REASON)
        return self._model.assume_disagreement(
            passage=passage, current=current, query=query, evidence=evidence
        )


class QuotingQueryGenerator:
    """Generates a query from each part of the passage that `split` returns."""

    def __init__(self, split: Callable[[str], Sequence[Span]]) -> None:
        self._split = split

    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query]]:
        text = passage.text
        spans = self._split(text)
        return [[Query(text=" ".join(span.of(text).split()), about=span) for span in spans]]
