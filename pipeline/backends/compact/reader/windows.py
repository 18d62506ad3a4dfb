"""Long evidence in windows of whole sentences that the reader can take in at once."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from pipeline.rarr.types import Span
from pipeline.text.sentences import split_sentences
from pipeline.text.windows import windows

Offsets = tuple[int, int]
"""Characters of the text, end exclusive."""


def windows_of(
    text: str, tokens: Sequence[Offsets], *, sentences: int, step: int, limit: int
) -> list[Offsets]:
    """Windows of at most `sentences` sentences and `limit` tokens, about `step` sentences apart.

    `tokens` are the places of the text's tokens. Every sentence is in a window; one that is longer
    than `limit` is cut into pieces, which count as sentences. Text of no token has no window.
    """
    pieces = [
        piece for sentence in split_sentences(text) for piece in _cut(sentence, tokens, limit)
    ]
    sizes = [last - first for _, _, first, last in pieces]
    ranges = windows(sizes, room=limit, count=sentences, step=step)
    return [(pieces[first][0], pieces[last - 1][1]) for first, last in ranges]


def _cut(sentence: Span, tokens: Sequence[Offsets], limit: int) -> list[tuple[int, int, int, int]]:
    """(start, end, first token, last token + 1) of the sentence, or of its pieces."""
    first, last = (
        bisect_left(tokens, at, key=lambda token: token[0]) for at in (sentence.start, sentence.end)
    )
    if last - first <= limit:
        return [(sentence.start, sentence.end, first, last)] if first < last else []
    cuts = [*range(first, last, limit), last]
    return [(tokens[a][0], tokens[b - 1][1], a, b) for a, b in pairwise(cuts)]
