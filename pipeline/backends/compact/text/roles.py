"""What part a span plays in its sentence: its path in the dependency parse."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pipeline.backends.compact.text.parsing import parsed
from pipeline.backends.compact.text.spans import without_marks

if TYPE_CHECKING:
    from spacy.tokens import Token

_MODIFIERS = frozenset(["nummod", "amod", "compound", "quantmod", "nmod", "poss"])
_FARTHEST = 6
"""Steps up the parse; what is farther has little to do with the span."""


@dataclass(frozen=True, slots=True)
class Role:
    """A span's place among the words that it depends on; "" for none."""

    relation: str = ""
    """The dependency label, such as nsubj; for what a preposition leads, the preposition."""
    governor: str = ""
    """The lemma of the verb or noun above it."""
    modified: str = ""
    """The lemma of the noun that it is a modifier of."""

    @property
    def dimension(self) -> str:
        """What a number measures, such as length, by the word above it; "" where that is open."""
        return _DIMENSIONS.get(self.governor, "")


_DIMENSIONS = {
    word: dimension
    for dimension, words in {
        "length": "long length stretch", "depth": "deep depth", "height": "tall high height rise",
        "width": "wide width broad breadth", "thickness": "thick thickness", "age": "old age",
        "weight": "heavy weigh weight mass", "area": "area surface", "speed": "fast speed",
        "distance": "far distance",
    }.items()
    for word in words.split()
}  # fmt: skip
NO_ROLE = Role()


@lru_cache(maxsize=16384)
def role_of(text: str, start: int, end: int) -> Role:
    """The role of the characters `start` to `end` of the text.

    >>> role_of("Hart Mill opened in 1852.", 20, 24)
    Role(relation='in', governor='open', modified='')
    """
    found = parsed(without_marks(text))
    at = bisect_right([each.start for each in found], start) - 1
    if at < 0:
        return NO_ROLE
    inside = [
        token
        for token in found[at].doc
        if found[at].start + token.idx < end and start < found[at].start + token.idx + len(token)
    ]
    if not inside:
        return NO_ROLE
    low, high = inside[0].i, inside[-1].i
    root = next((t for t in inside if not low <= t.head.i <= high or t.head == t), inside[-1])
    return _above(root)


def _above(token: "Token") -> Role:
    modified = ""
    for _ in range(_FARTHEST):
        if token.dep_ in ("conj", "appos") and token.head != token:
            token = token.head
        elif token.dep_ in _MODIFIERS and token.head != token:
            token = token.head
            modified = modified or token.lemma_.lower()
        else:
            break
    head = token.head
    if token.dep_ in ("pobj", "pcomp"):
        return Role(head.lower_, head.head.lemma_.lower(), modified)
    return Role(token.dep_, head.lemma_.lower() if head != token else "", modified)
