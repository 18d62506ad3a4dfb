"""RARR with the whole passage as its only query (section 6.2, Table 2), and J = 3."""

from collections.abc import Sequence
from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import revise as revise_by_rarr
from pipeline.rarr.ports import Components
from pipeline.rarr.types import Passage, Query, Revision
from pipeline.text.spans import Span

MIN_EVIDENCE_PER_QUERY = 3
"""Least J; a larger one in the configuration applies."""


def revise(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    evidence_per_query = max(MIN_EVIDENCE_PER_QUERY, config.evidence_per_query)
    return revise_by_rarr(
        passage,
        components=replace(components, query_generator=WholePassage()),
        config=replace(config, evidence_per_query=evidence_per_query),
    )


class WholePassage:
    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query]]:
        about = Span(start=0, end=len(passage.text))
        return [[Query(text=" ".join(passage.text.split()), about=about)]]
