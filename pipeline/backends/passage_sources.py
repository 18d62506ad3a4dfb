"""The sources that a passage brings, as a search."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.rarr.errors import RarrError
from pipeline.rarr.types import Document


class MissingSources(RarrError):
    """A passage without sources in a run that searches nothing else."""


@dataclass(frozen=True, kw_only=True)
class PassageSources:
    """Every document for every query, in order, whatever the limit.

    A passage brings at most a hundred sources: the relevance model ranks all their windows.
    """

    documents: tuple[Document, ...] = ()

    def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]:
        return [self.documents for _ in queries]
