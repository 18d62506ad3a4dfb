"""Queries to the reader and its results, by span and by word."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

LONGEST_ANSWER = 12
"""Tokens."""
JOINERS = frozenset(".,'’-:/&_@+%")
"""Marks inside a word, without spaces: 2,303, don't, 9-1-1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NliProbabilities:
    """Three uncalibrated probabilities that sum to 1."""

    entailment: float
    neutral: float
    contradiction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """The result of reading a hypothesis with a premise."""

    verdict: NliProbabilities
    doubts: tuple[tuple[int, int, float], ...]
    """Each word's (start, end) and the probability that the premise does not support it; none
    for words beyond the longest hypothesis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PointerQuery:
    """What does the premise have in place of text[start:end], which is masked?

    For a question start == end == len(text).
    """

    premise: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanLogits:
    """Answers: a logit for each first and last token; their sum competes with `none`."""

    none: float
    """The logit of "no answer"."""
    spans: Any = field(repr=False)
    """The characters of the premise's tokens, an array of shape (n, 2)."""
    starts: Any = field(repr=False)
    ends: Any = field(repr=False)
    """Logits, float32 arrays of shape (n,)."""

    def score(self, start: int, end: int) -> float:
        """Return the logit of the premise's characters start:end; -inf beyond the truncation."""
        if not len(self.spans) or end > self.spans[-1, 1]:
            return -math.inf
        first = int(self.spans[:, 1].searchsorted(start, side="right"))
        last = int(self.spans[:, 0].searchsorted(end, side="left")) - 1
        return float(self.starts[first] + self.ends[last]) if first <= last else -math.inf

    def best(self) -> tuple[int, int, float] | None:
        """Return the best short span: (start, end, logit); None without tokens."""
        best: tuple[int, int, float] | None = None
        count = len(self.starts)
        for extra in range(min(LONGEST_ANSWER, count)):
            sums = self.starts[: count - extra] + self.ends[extra:]
            first = int(sums.argmax())
            if best is None or sums[first] > best[2]:
                start, end = self.spans[first, 0], self.spans[first + extra, 1]
                best = int(start), int(end), float(sums[first])
        return best


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
