"""Accessors of estimates."""

from typing import TypeVar

from pipeline.metrics.inference import Estimate

T = TypeVar("T")


def known(found: T | None) -> T:
    assert found is not None
    return found


def ends(estimate: Estimate | None) -> tuple[float, float]:
    found = known(estimate)
    return known(found.low), known(found.high)
