"""Queries to the reader and its results."""

import math
from dataclasses import dataclass, field
from typing import Any

LONGEST_ANSWER = 12
"""Tokens."""


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
        first, last = self._tokens(start, end)
        if first > last:
            return -math.inf
        return float(self.starts[first] + self.ends[last])

    def best(self) -> tuple[int, int, float] | None:
        """Return the best short span: (start, end, logit); None without tokens."""
        best: tuple[int, int, float] | None = None
        count = len(self.starts)
        for extra in range(min(LONGEST_ANSWER, count)):
            sums = self.starts[: count - extra] + self.ends[extra:]
            first = int(sums.argmax())
            if best is None or sums[first] > best[2]:
                best = (first, first + extra, float(sums[first]))
        if best is None:
            return None
        return int(self.spans[best[0], 0]), int(self.spans[best[1], 1]), best[2]

    def _tokens(self, start: int, end: int) -> tuple[int, int]:
        """First and last token of the characters; first > last if one is missing."""
        if not len(self.spans) or end > self.spans[-1, 1]:
            return 1, 0
        first = int(self.spans[:, 1].searchsorted(start, side="right"))
        last = int(self.spans[:, 0].searchsorted(end, side="left")) - 1
        return first, last
