"""Values of word pieces, by word."""

from collections.abc import Iterator, Sequence

JOINERS = frozenset(".,'’-:/&_@+%")
"""Marks inside a word, without spaces: 2,303, don't, 9-1-1."""


def by_word(
    text: str, spans: Sequence[tuple[int, int]], values: Sequence[float]
) -> tuple[tuple[int, int, float], ...]:
    """Return (start, end, greatest value) of each word; `spans` and `values` are its pieces'.

    >>> by_word("In 2,303.", [(0, 2), (3, 4), (4, 5), (5, 8), (8, 9)], [.1, .2, .0, .9, .5])
    ((0, 2, 0.1), (3, 8, 0.9))
    """
    errors = []
    pieces = [text[start:end] for start, end in spans]
    letters = [piece.isalnum() or any(map(str.isalnum, piece)) for piece in pieces]
    for group in _groups(pieces, letters, spans):
        lettered = [i for i in group if letters[i]]
        if lettered:
            inside = range(lettered[0], lettered[-1] + 1)
            worst = max(values[i] for i in inside)
            errors.append((spans[inside[0]][0], spans[inside[-1]][1], worst))
    return tuple(errors)


def _groups(
    pieces: Sequence[str], letters: Sequence[bool], spans: Sequence[tuple[int, int]]
) -> Iterator[list[int]]:
    group: list[int] = []
    for i, piece in enumerate(pieces):
        parts = not letters[i] and not JOINERS.issuperset(piece)
        alone = _is_ideograph(piece)
        if group and (parts or alone or spans[i][0] > spans[group[-1]][1]):
            yield group
            group = []
        if not parts:
            group.append(i)
            if alone:
                yield group
                group = []
    if group:
        yield group


def _is_ideograph(piece: str) -> bool:
    """BERT reads each Chinese character as a word."""
    return len(piece) == 1 and ("\u3400" <= piece <= "\u9fff" or piece >= "\U00020000")
