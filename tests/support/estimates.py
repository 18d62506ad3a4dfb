"""Figures that a test knows to be there."""

from typing import TypeVar

from pipeline.metrics.inference import Estimate

T = TypeVar("T")


def known(found: T | None) -> T:
    assert found is not None
    return found


def ends(estimate: Estimate | None) -> tuple[float, float]:
    """The two ends of its interval."""
    found = known(estimate)
    return known(found.low), known(found.high)
