"""RARR with each sentence of the passage as a query (section 6.2, Tables 2 and 3).

Sentences find pages that say the same, so they look for confirmation where questions do not; and
a sentence that leans on the one before it finds little. The compact gate compares every span of
the sentence with the evidence, and the first that disagrees is edited.
"""

from collections.abc import Sequence
from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import revise as revise_by_rarr
from pipeline.rarr.ports import SentenceSplitter, Steps
from pipeline.rarr.types import Passage, Query, Revision


def revise(passage: Passage, *, steps: Steps, config: RarrConfig) -> Revision:
    generator = EachSentence(steps.splitter)
    return revise_by_rarr(passage, steps=replace(steps, query_generator=generator), config=config)


class EachSentence:
    """A query a sentence, in the passage's order."""

    def __init__(self, splitter: SentenceSplitter) -> None:
        self._splitter = splitter

    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query]]:
        found = self._splitter(passage.text)
        return [[Query(text=" ".join(s.of(passage.text).split()), about=s) for s in found]]
