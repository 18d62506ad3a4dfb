"""What is asked of the reader, and what it gives: verdicts, doubts and answers."""

import math
from dataclasses import dataclass, field
from typing import Any

LONGEST_ANSWER = 12
"""Tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NliProbabilities:
    """What the premise says of the hypothesis: three probabilities that sum to 1, uncalibrated."""

    entailment: float
    neutral: float
    contradiction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A hypothesis read beside a premise."""

    verdict: NliProbabilities
    doubts: tuple[tuple[int, int, float], ...]
    """Of each word of the hypothesis: its characters (start, end) and the probability that the
    premise does not support it. A word behind the longest hypothesis has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PointerQuery:
    """What does the premise say in the place of text[start:end]?

    Those characters are masked. For a question start == end == len(text).
    """

    premise: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanLogits:
    """Where the premise answers an `PointerQuery`: one logit for each place it could begin or end.

    A span's logit is the sum of its beginning's and its end's; it competes with `none`.
    """

    none: float
    """The logit of "no answer"."""
    spans: Any = field(repr=False)
    """The characters of each token of the premise that was read, an array of shape (n, 2)."""
    starts: Any = field(repr=False)
    ends: Any = field(repr=False)
    """Logits, float32 arrays of shape (n,)."""

    def score(self, start: int, end: int) -> float:
        """The logit of the premise's characters start:end; -inf where it was cut off before."""
        first, last = self._tokens(start, end)
        if first > last:
            return -math.inf
        return float(self.starts[first] + self.ends[last])

    def best(self) -> tuple[int, int, float] | None:
        """The best of all short spans: (start, end, logit); None without tokens."""
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
        """First and last token of the characters; first > last where a token is missing."""
        if not len(self.spans) or end > self.spans[-1, 1]:
            return 1, 0
        first = int(self.spans[:, 1].searchsorted(start, side="right"))
        last = int(self.spans[:, 0].searchsorted(end, side="left")) - 1
        return first, last
