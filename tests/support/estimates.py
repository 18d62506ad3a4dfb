"""Accessors of estimates."""

from typing import TypeVar

from pipeline.metrics.inference import Estimate

T = TypeVar("T")


def known(result: T | None) -> T:
    assert result is not None
    return result


def ends(estimate: Estimate | None) -> tuple[float, float]:
    return known(estimate.low), known(estimate.high)
