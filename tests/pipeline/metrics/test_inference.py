"""Intervals of means and shares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics.inference import mean_estimate, median_estimate, share_estimate


def test_the_interval_of_a_mean_holds_the_truth_about_95_times_in_100() -> None:
    generator = np.random.default_rng(7)
    hits = 0
    for _ in range(2000):
        found = mean_estimate(generator.normal(0.4, 0.1, size=8).tolist())
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.4 <= found.high
    assert hits / 2000 == pytest.approx(0.95, abs=0.015)


def test_the_interval_of_a_share_holds_the_truth_about_95_times_in_100() -> None:
    generator = np.random.default_rng(7)
    hits = 0
    for count in generator.binomial(400, 0.2, size=2000):
        found = share_estimate(int(count), 400)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.2 <= found.high
    assert hits / 2000 == pytest.approx(0.95, abs=0.015)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_an_interval_holds_its_mean_and_stays_on_the_scale(values: list[float]) -> None:
    found = mean_estimate(values, lowest=0, highest=1)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.high <= 1


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_of_a_share_holds_the_share(counts: tuple[int, int]) -> None:
    found = share_estimate(*counts)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high


@pytest.mark.parametrize(("count", "n"), [(3, 2), (-1, 2)])
def test_what_is_no_share_is_refused(count: int, n: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        share_estimate(count, n)


@pytest.mark.parametrize(
    ("n", "ranks"),
    # Exact binomial ranks, as tables of the sign test's interval give them.
    [(5, None), (6, (1, 6)), (9, (2, 8)), (20, (6, 15)), (50, (18, 33)), (100, (40, 61))],
)
def test_the_interval_of_a_median_has_the_ranks_of_the_tables(
    n: int, ranks: tuple[int, int] | None
) -> None:
    found = median_estimate(list(range(n, 0, -1)))
    assert found is not None
    assert (found.value, found.n) == ((n + 1) / 2, n)
    assert (found.low, found.high) == (ranks or (None, None))
