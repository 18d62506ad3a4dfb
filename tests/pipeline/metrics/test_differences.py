"""Tests of differences between systems."""

import numpy as np
import pytest

from pipeline.metrics.differences import holm, paired_p
from pipeline.metrics.inference import mean_estimate


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.2])
def test_p_is_below_5_percent_exactly_where_the_interval_leaves_0_out(shift: float) -> None:
    for seed in range(40):
        values = (np.random.default_rng(seed).normal(shift, 0.2, 12)).tolist()
        found, p = mean_estimate(values), paired_p(values)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        assert p is not None
        assert (p < 0.05) == (not found.low <= 0 <= found.high)


def test_p_is_about_that_of_a_permutation_test() -> None:
    chance = np.random.default_rng(3)
    values = chance.normal(0.06, 0.2, 40)
    signs = chance.choice([-1, 1], size=(20_000, 40))
    as_far = np.abs((signs * values).mean(axis=1)) >= abs(values.mean())
    assert paired_p(values.tolist()) == pytest.approx(as_far.mean(), abs=0.01)


def test_one_weight_for_all_changes_nothing() -> None:
    values = [0.1, 0.4, -0.2, 0.3]
    assert paired_p(values, [3.0] * 4) == pytest.approx(paired_p(values))


def test_holm_keeps_the_order_and_never_exceeds_1() -> None:
    assert holm([0.02, 0.9, 0.5, 0.001]) == pytest.approx([0.06, 1.0, 1.0, 0.004])
