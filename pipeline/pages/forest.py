"""Differences with their intervals as strips on one scale around nothing."""

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.metrics.inference import Estimate

STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
MOST_TICKS = 4
MARGIN = 0.06
"""Of the width, on either side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """Where one difference stands, in per cent of the width."""

    value: str
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Forest:
    """A scale that holds every interval, and 0."""

    lowest: float
    highest: float

    @classmethod
    def of(cls, estimates: Iterable[Estimate]) -> "Forest":
        """The scale of some differences.

        >>> Forest.of([Estimate(value=-0.2, n=9, low=-0.3, high=0.1)]).ticks
        [('−0.2', '27.68%'), ('0', '72.32%')]
        """
        ends = [0.0]
        for each in estimates:
            ends += [end for end in (each.value, each.low, each.high) if end is not None]
        lowest, highest = min(ends), max(ends)
        if highest == lowest:
            lowest, highest = -STEPS[0], STEPS[0]
        margin = MARGIN * (highest - lowest)
        return cls(lowest - margin, highest + margin)

    def at(self, value: float) -> str:
        return f"{100 * (value - self.lowest) / (self.highest - self.lowest):.4g}%"

    def strip(self, estimate: Estimate) -> Strip:
        low = estimate.value if estimate.low is None else estimate.low
        high = estimate.value if estimate.high is None else estimate.high
        return Strip(value=self.at(estimate.value), low=self.at(low), high=self.at(high))

    @property
    def ticks(self) -> list[tuple[str, str]]:
        """(what it says, where it stands), from left to right; one is 0."""
        span = self.highest - self.lowest
        step = next((each for each in STEPS if span / each <= MOST_TICKS), STEPS[-1])
        first, last = int(self.lowest / step), int(self.highest / step)
        return [
            (f"{step * n:+g}".replace("-", "−") if n else "0", self.at(step * n))
            for n in range(first, last + 1)
        ]
