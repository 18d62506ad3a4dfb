"""Where a text cites its sources by their numbers, as in `[1]`, `[1, 2]`, `[1 and 3]`, `[2-4]`."""

import re

_GROUP = r"\[\s*\d{1,3}(?:\s*(?:[,;&–-]|and)\s*\d{1,3})*\s*\]"
MARKS = re.compile(rf"{_GROUP}(?:\s*{_GROUP})*")
"""One or several in a row."""
_NUMBER = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
# Nobody cites more sources in one range; "[1-999]" is something else.
_LONGEST_RANGE = 20


def cited(text: str) -> tuple[int, ...]:
    """The numbers that `text` cites, each once, in order; a range is spelled out.

    >>> cited("It ends there [2][1, 2]. So it is said [4-6].")
    (2, 1, 4, 5, 6)
    """
    numbers: dict[int, None] = {}
    for run in MARKS.finditer(text):
        for first, last in _NUMBER.findall(run.group()):
            start, end = int(first), int(last or first)
            for number in range(start, min(end, start + _LONGEST_RANGE) + 1):
                numbers.setdefault(number)
    return tuple(numbers)
