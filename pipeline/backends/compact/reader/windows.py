"""Long evidence in windows of whole sentences that the reader can take in at once."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from pipeline.rarr.types import Span
from pipeline.text.sentences import split_sentences
from pipeline.text.windows import windows

Place = tuple[int, int]
"""Characters of the text, end exclusive."""


def windows_of(
    text: str, tokens: Sequence[Place], *, sentences: int, step: int, limit: int
) -> list[Place]:
    """Windows of at most `sentences` sentences and `limit` tokens, about `step` sentences apart.

    `tokens` are the places of the text's tokens. Every sentence is in a window; one that is longer
    than `limit` is cut into pieces, which count as sentences. Text of no token has no window.
    """
    pieces = [piece for place in split_sentences(text) for piece in _cut(place, tokens, limit)]
    sizes = [last - first for _, _, first, last in pieces]
    found = windows(sizes, room=limit, count=sentences, step=step)
    return [(pieces[first][0], pieces[last - 1][1]) for first, last in found]


def _cut(place: Span, tokens: Sequence[Place], limit: int) -> list[tuple[int, int, int, int]]:
    """(start, end, first token, last token + 1) of the sentence, or of its pieces."""
    first, last = (
        bisect_left(tokens, at, key=lambda token: token[0]) for at in (place.start, place.end)
    )
    if last - first <= limit:
        return [(place.start, place.end, first, last)] if first < last else []
    cuts = [*range(first, last, limit), last]
    return [(tokens[a][0], tokens[b - 1][1], a, b) for a, b in pairwise(cuts)]
