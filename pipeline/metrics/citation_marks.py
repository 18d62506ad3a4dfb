"""The grammar of citations in a text.

Citations are `[1]`, `[1][2]`, `[1, 2]`, `[1; 2]`, `[1-3]` and `[1 and 3]`, before or after a full
stop.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

GROUP = r"\[\s*\d{1,3}(?:\s*(?:[,;&–-]|and)\s*\d{1,3})*\s*\]"
"""One pair of brackets."""
_GROUP = re.compile(GROUP)
MARKS = re.compile(rf"{GROUP}(?:\s*{GROUP})*")
"""Consecutive citations."""
_SPACED_GROUP = re.compile(rf"(?<!\s)\s*{GROUP}")
# A full stop may have space around it ("[1] . Next"), but not as in "[1] .5 million".
_TAIL = re.compile(r"(?:\s+(?=[.,;:!?…]+[\"'”’»)]*(?:\s|$)))?[.,;:!?…]*[\"'”’»)]*")
_NUMBER = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
# "[1-999]" is no citation.
_LONGEST_RANGE = 20


def cited(text: str) -> tuple[int, ...]:
    """The cited numbers, each once, in order, with those in ranges."""
    return tuple(dict.fromkeys(mentions(text)))


def mentions(text: str) -> list[int]:
    """The cited numbers, with repetitions, in order.

    >>> mentions("It ends there [2][1, 2].")
    [2, 1, 2]
    """
    return [
        number
        for run in MARKS.finditer(text)
        for first, last in _NUMBER.findall(run.group())
        for number in range(int(first), min(int(last or first), int(first) + _LONGEST_RANGE) + 1)
    ]


def without_citations(text: str) -> str:
    """Remove the citations; other brackets stay."""
    return _SPACED_GROUP.sub("", text).strip()


def renumbered(text: str, numbers: Mapping[int, int]) -> str:
    """Replace numbers in citations by `numbers`; others stay.

    >>> renumbered("It fell [1, 2]. It rose [1-3][9].", {2: 5, 3: 6})
    'It fell [1, 5]. It rose [1, 5, 6][9].'
    """

    def renumber(group: re.Match[str]) -> str:
        before = cited(group.group())
        after = [numbers.get(number, number) for number in before]
        if after == list(before):
            return group.group()
        return f"[{', '.join(map(str, dict.fromkeys(after)))}]"

    return _GROUP.sub(renumber, text)


def with_citations(text: str, sentences: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The offsets of statements: citations after a full stop go to the sentence before.

    `sentences` are offsets in order. A splitter makes "It fell." and "[1] Why?" of
    "It fell. [1] Why?". Citations alone are no statement.
    """
    last = 0
    for number, (start, end) in enumerate(sentences, start=1):
        if end < last:  # within citations that are read already
            continue
        run = MARKS.match(text, next_word(text, end)) if number < len(sentences) else None
        reach = end_of(text, run.end()) if run else end
        begin = next_word(text, max(start, last))
        last = max(reach, last)
        if begin < end and has_words(text[begin:end]):
            yield begin, last


def next_word(text: str, at: int) -> int:
    """The end of the white space from `at` on."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def end_of(text: str, at: int) -> int:
    """The end of the punctuation after a citation that ends at `at`."""
    tail = _TAIL.match(text, at)
    return tail.end() if tail else at


def has_words(text: str) -> bool:
    """Return whether there is a letter or digit outside of citations."""
    return any(character.isalnum() for character in MARKS.sub("", text))
