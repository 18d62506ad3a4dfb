"""Long evidence in windows of whole sentences that the reader can take in at once."""

from collections.abc import Sequence
from itertools import pairwise

from pipeline.backends.compact.text.sentences import Place, sentences_of


def windows_of(
    text: str, tokens: Sequence[Place], *, sentences: int, step: int, limit: int
) -> list[Place]:
    """Windows of at most `sentences` sentences and `limit` tokens, about `step` sentences apart.

    `tokens` says where each token of the text stands. Every sentence is in a window; one that
    is longer than `limit` is cut into pieces, which count as sentences. Text of no token has
    no window.
    """
    pieces = [piece for place in sentences_of(text) for piece in _cut(place, tokens, limit)]
    windows: list[Place] = []
    first = 0
    while first < len(pieces):
        last = first + 1
        size = pieces[first][3] - pieces[first][2]
        while last < min(first + sentences, len(pieces)):
            size = pieces[last][3] - pieces[first][2]
            if size > limit:
                break
            last += 1
        windows.append((pieces[first][0], pieces[last - 1][1]))
        if last == len(pieces):
            break
        # A window that the limit made short must not leave a sentence out.
        first = min(first + max(1, step), last)
    return windows


def _cut(place: Place, tokens: Sequence[Place], limit: int) -> list[tuple[int, int, int, int]]:
    """(start, end, first token, last token + 1) of the sentence, or of its pieces."""
    start, end = place
    first = _first(tokens, start)
    last = _first(tokens, end)
    if last - first <= limit:
        return [(start, end, first, last)] if first < last else []
    cuts = [*range(first, last, limit), last]
    return [(tokens[a][0], tokens[b - 1][1], a, b) for a, b in pairwise(cuts)]


def _first(tokens: Sequence[Place], at: int) -> int:
    """The first token that begins at the character `at` or later."""
    low, high = 0, len(tokens)
    while low < high:
        middle = (low + high) // 2
        if tokens[middle][0] < at:
            low = middle + 1
        else:
            high = middle
    return low
