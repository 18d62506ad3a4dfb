"""Windows over consecutive parts, such as sentences."""

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
    """Return the first part and the end (exclusive) of windows that together cover all parts.

    A window has at most `count` parts of at most `room` in total size, but at least one. The next
    begins `step` parts later or at its end, minus parts of at most `overlap`.

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
