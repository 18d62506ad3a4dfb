"""RARR with the whole passage as its only query (section 6.2, Table 2), and J = 3.

Three snippets bring the amount of evidence nearer to the other systems'. A larger J of the
configuration is kept. No question is asked about any part of the passage; the compact gate then
compares every span of the passage with the evidence, and the first that disagrees is edited.
"""

from collections.abc import Sequence
from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import revise as revise_by_rarr
from pipeline.rarr.ports import Steps
from pipeline.rarr.types import Passage, Query, Revision
from pipeline.text.spans import Span

EVIDENCE = 3
"""J of this system."""


def revise(passage: Passage, *, steps: Steps, config: RarrConfig) -> Revision:
    return revise_by_rarr(
        passage,
        steps=replace(steps, query_generator=TheWholePassage()),
        config=replace(config, evidence_per_query=max(EVIDENCE, config.evidence_per_query)),
    )


class TheWholePassage:
    """One query: the passage itself, its white space joined."""

    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query]]:
        about = Span(start=0, end=len(passage.text))
        return [[Query(text=" ".join(passage.text.split()), about=about)]]
