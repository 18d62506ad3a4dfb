"""RARR with each sentence of the passage as a query (section 6.2, Tables 2 and 3)."""

from collections.abc import Sequence
from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import revise as revise_by_rarr
from pipeline.rarr.ports import Components, SentenceSplitter
from pipeline.rarr.types import Passage, Query, Revision


def revise(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    generator = SentenceQueries(components.splitter)
    return revise_by_rarr(
        passage, components=replace(components, query_generator=generator), config=config
    )


class SentenceQueries:
    def __init__(self, splitter: SentenceSplitter) -> None:
        self._splitter = splitter

    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query]]:
        sentences = self._splitter(passage.text)
        return [[Query(text=" ".join(s.of(passage.text).split()), about=s) for s in sentences]]
