"""A sentence laid beside the clauses of a text, word against word."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from pipeline.backends.compact.text.coverage import clauses
from pipeline.backends.compact.text.spans import CITATION, Mention
from pipeline.backends.compact.text.words import Word, words

MOST_WORDS = 400
"""Of a sentence and of a clause: what is longer is a list, and only its beginning is laid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """A sentence beside one clause: for each of its words the word of the clause, or -1."""

    mine: tuple[Word, ...]
    theirs: tuple[Word, ...]
    place: tuple[int, ...]

    def of_mine(self, span: Mention) -> tuple[int, int]:
        """First and last word, the last exclusive, of a span of the sentence."""
        return _range(self.mine, span)

    def of_theirs(self, span: Mention) -> tuple[int, int]:
        return _range(self.theirs, span)

    def holds(self, place: int) -> bool:
        """Whether the clause has this place of the text."""
        return bool(self.theirs) and self.theirs[0].start <= place < self.theirs[-1].end

    def aligned(self, first: int, last: int) -> float:
        """Share of the content words outside `mine[first:last]` that line up, 0.0 to 1.0."""
        rest = [
            self.place[i] >= 0
            for i, word in enumerate(self.mine)
            if word.is_content and not first <= i < last
        ]
        return sum(rest) / len(rest) if rest else 0.0


def _range(row: Sequence[Word], span: Mention) -> tuple[int, int]:
    inside = [i for i, w in enumerate(row) if w.start < span.end and span.start < w.end]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


@lru_cache(maxsize=4096)
def laid(sentence: str, text: str) -> tuple[Laid, ...]:
    """The sentence beside each clause of the text."""
    mine = words(CITATION.sub(lambda match: " " * len(match.group()), sentence))[:MOST_WORDS]
    everything = words(text)
    starts = [word.start for word in everything]
    found = []
    for start, end in clauses(text):
        theirs = everything[bisect_left(starts, start) : bisect_left(starts, end)][:MOST_WORDS]
        found.append(Laid(mine=mine, theirs=theirs, place=_places(mine, theirs)))
    return tuple(found)


def _places(mine: Sequence[Word], theirs: Sequence[Word]) -> tuple[int, ...]:
    places = [-1] * len(mine)
    matcher = SequenceMatcher(
        None, [w.stem for w in mine], [w.stem for w in theirs], autojunk=False
    )
    for a, b, size in matcher.get_matching_blocks():
        # A lone "the" or "of" lines up with any other.
        if size == 1 and not mine[a].is_content:
            continue
        for k in range(size):
            places[a + k] = b + k
    return tuple(places)
