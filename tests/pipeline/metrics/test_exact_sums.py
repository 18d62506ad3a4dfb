"""Sums that are the same in any order, and so on any machine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics.exact_sums import counted_sums

CHANCE = np.random.default_rng(3)


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e12])
@pytest.mark.parametrize("passages", [7, 200, 3000])
def test_the_order_of_the_passages_does_not_move_the_last_bit(passages: int, scale: float) -> None:
    values = CHANCE.beta(2, 3, (passages, 3)) * scale
    counts = CHANCE.multinomial(passages, np.full(passages, 1 / passages), size=40)
    expected = counted_sums(counts, values)
    for _ in range(5):
        order = CHANCE.permutation(passages)
        assert np.array_equal(expected, counted_sums(counts[:, order], values[order]))
    assert expected == pytest.approx(counts @ values, rel=1e-9)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_values_are_hardly_rounded(given_values: list[float]) -> None:
    values = np.array(given_values)
    found = counted_sums(np.eye(len(values)), values)
    assert found == pytest.approx(values, abs=float(np.abs(values).max()) * 2.0**-50)


def test_nothing_counted_is_nothing() -> None:
    assert counted_sums(np.zeros((2, 3)), np.ones(3)).tolist() == [0.0, 0.0]
    assert counted_sums(np.zeros((2, 0)), np.zeros((0, 4))).tolist() == [[0.0] * 4] * 2
