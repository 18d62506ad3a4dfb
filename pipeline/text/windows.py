"""Windows over parts that follow each other, such as the sentences of a text."""

from collections.abc import Sequence
from sys import maxsize


def windows(
    sizes: Sequence[int],
    *,
    room: int = maxsize,
    count: int = maxsize,
    step: int = maxsize,
    overlap: int = 0,
) -> list[tuple[int, int]]:
    """The first and last part of each window, the last exclusive; no part is left out.

    A window has as many parts as fit: `count` at most, with sizes of `room` at most together, but
    at least one. The next one begins `step` parts later, or where the window ends if that comes
    first; and then as many parts earlier as have sizes of `overlap` at most together.

    >>> windows([1, 1, 1, 1], count=3, step=1), windows([2, 3, 4], room=5)
    ([(0, 3), (1, 4)], [(0, 2), (2, 3)])
    """
    ranges = []
    first = 0
    while first < len(sizes):
        last, size = first + 1, sizes[first]
        while last < min(first + count, len(sizes)) and size + sizes[last] <= room:
            size += sizes[last]
            last += 1
        ranges.append((first, last))
        if last == len(sizes):
            break
        following = min(first + max(step, 1), last)
        shared = sum(sizes[following:last])
        while following - 1 > first and shared + sizes[following - 1] <= overlap:
            following -= 1
            shared += sizes[following]
        first = following
    return ranges
