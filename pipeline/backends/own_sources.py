"""The passage's own sources as a search: what came with it, for every query."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.rarr.errors import RarrError
from pipeline.rarr.types import Document


class NoOwnSources(RarrError):
    """A passage came without sources, and nothing else is searched for it."""


@dataclass(frozen=True, kw_only=True)
class OwnSources:
    """Every document for every query, whatever the limit, in the order in which they came.

    A passage brings a handful of sources, at most a hundred. An index over them would cost more
    than it saves and drop some before anybody read them; so no document is left out here, all of
    their windows are scored, and the relevance model alone ranks.
    """

    documents: tuple[Document, ...] = ()

    def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]:
        return [self.documents for _ in queries]
