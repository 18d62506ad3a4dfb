"""What part a span plays in its sentence, by the dependency parse."""

from bisect import bisect_right
from functools import lru_cache

from pipeline.backends.compact.text.parsing import parsed
from pipeline.backends.compact.text.spans import without_marks

_PARTS = frozenset(["conj", "appos", "nummod", "amod", "compound", "quantmod", "nmod", "poss"])
"""What plays the part of the word that it belongs to."""
_FARTHEST = 6
"""Steps up the parse; what is farther has little to do with the span."""


@lru_cache(maxsize=16384)
def relation_of(text: str, start: int, end: int) -> str:
    """The dependency label of the characters `start` to `end` of the text, such as nsubj; for
    what a preposition leads, the preposition; "" for none.

    >>> relation_of("Hart Mill opened in 1852.", 20, 24)
    'in'
    """
    found = parsed(without_marks(text))
    at = bisect_right([each.start for each in found], start) - 1
    if at < 0:
        return ""
    inside = [
        token
        for token in found[at].doc
        if found[at].start + token.idx < end and start < found[at].start + token.idx + len(token)
    ]
    if not inside:
        return ""
    low, high = inside[0].i, inside[-1].i
    token = next((t for t in inside if not low <= t.head.i <= high or t.head == t), inside[-1])
    for _ in range(_FARTHEST):
        if token.dep_ in _PARTS and token.head != token:
            token = token.head
    return token.head.lower_ if token.dep_ in ("pobj", "pcomp") else token.dep_
