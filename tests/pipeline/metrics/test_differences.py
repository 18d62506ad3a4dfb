"""Tests of differences between systems."""

import numpy as np
import pytest
from scipy.stats import binomtest

from pipeline.metrics.differences import holm, paired_p
from pipeline.metrics.inference import ratio_estimate
from tests.support.estimates import ends, known


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.2])
def test_p_is_below_5_percent_exactly_where_the_interval_leaves_0_out(shift: float) -> None:
    for seed in range(40):
        values = (np.random.default_rng(seed).normal(shift, 0.2, 12)).tolist()
        low, high = ends(ratio_estimate(values))
        assert (known(paired_p(values)) < 0.05) == (not low <= 0 <= high)
        pairs = [number // 2 for number in range(12)]
        low, high = ends(ratio_estimate(values, clusters=pairs))
        assert (known(paired_p(values, clusters=pairs)) < 0.05) == (not low <= 0 <= high)


def test_p_is_about_that_of_a_permutation_test() -> None:
    chance = np.random.default_rng(3)
    values = chance.normal(0.06, 0.2, 40)
    signs = chance.choice([-1, 1], size=(20_000, 40))
    as_far = np.abs((signs * values).mean(axis=1)) >= abs(values.mean())
    assert paired_p(values.tolist()) == pytest.approx(as_far.mean(), abs=0.01)
    # One weight for all changes nothing.
    values = [0.1, 0.4, -0.2, 0.3, 0.2]
    assert paired_p(values, [3.0] * 5) == pytest.approx(paired_p(values))
    assert paired_p(values[:4]) is None


def test_holm_keeps_the_order_and_never_exceeds_1() -> None:
    assert holm([0.02, 0.9, 0.5, 0.001]) == pytest.approx([0.06, 1.0, 1.0, 0.004])
    assert holm([paired_p([1.0] * 50), 0.04]) == pytest.approx([2**-48, 0.04])


@pytest.mark.parametrize("amount", [1.0, -1.0, 0.5, 0.25])
def test_p_of_equal_differences_is_that_of_the_exact_sign_test(amount: float) -> None:
    for n in (5, 6, 50):
        assert paired_p([amount] * n) == binomtest(n, n, 0.5).pvalue
    assert paired_p([amount] * 50, [1.0, *[2.0] * 49]) == pytest.approx(2**-49)


def test_differences_that_only_rounding_tells_apart_count_as_equal() -> None:
    assert paired_p([0.8 - 0.3, 0.7 - 0.2, 0.5] * 2) == 2 * 0.5**6
    assert paired_p([0.1 + 0.2 - 0.3, 0.0] * 3) == 1.0
    assert paired_p([0.0] * 50) == 1.0
