"""Extractive coverage and density of an answer (Grusky et al. 2018; HAGRID 4.2)."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

_WORD = re.compile(r"\w+")


class Extractiveness(NamedTuple):
    coverage: float
    """The share of words in a fragment, 0.0 to 1.0."""
    density: float
    """The mean over words of the length, in words, of their fragment; 0.0 or more."""


def extractiveness(answer: str, sources: Sequence[str]) -> Extractiveness | None:
    """Compare an answer with its sources; None for an answer without words.

    Fragments are greedy: from each word on the longest run of words in a source. Case and
    punctuation are ignored.

    >>> extractiveness("The river runs west.", ["A river runs to the sea."])
    Extractiveness(coverage=0.75, density=1.25)
    >>> extractiveness("?", ["A river."])
    """
    words = _words(answer)
    if not words:
        return None
    lengths = _fragments(words, [_words(source) for source in sources])
    return Extractiveness(
        coverage=sum(lengths) / len(words),
        density=sum(length**2 for length in lengths) / len(words),
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _fragments(words: Sequence[str], sources: Sequence[Sequence[str]]) -> list[int]:
    positions: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, source in enumerate(sources):
        for position, word in enumerate(source):
            positions[word].append((number, position))
    lengths = []
    at = 0
    while at < len(words):
        longest = max(
            (
                _common(words, at, sources[number], position)
                for number, position in positions[words[at]]
            ),
            default=0,
        )
        if longest:
            lengths.append(longest)
        at += longest or 1
    return lengths


def _common(words: Sequence[str], at: int, source: Sequence[str], position: int) -> int:
    length, most = 0, min(len(words) - at, len(source) - position)
    while length < most and words[at + length] == source[position + length]:
        length += 1
    return length
