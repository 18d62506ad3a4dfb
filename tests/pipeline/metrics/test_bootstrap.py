"""Intervals by the bootstrap, beside those that a formula gives."""

import numpy as np
import pytest

from pipeline.metrics import bootstrap
from pipeline.metrics.attribution import f1_ap_of_means
from pipeline.metrics.bootstrap import bootstrap_estimate, column, difference, harmonic
from pipeline.metrics.inference import mean_estimate

CHANCE = np.random.default_rng(7)
PAIRS = np.column_stack([CHANCE.beta(2, 3, 200), CHANCE.beta(8, 2, 200)]).tolist()


def test_a_mean_has_about_students_interval() -> None:
    found = bootstrap_estimate(PAIRS, column(0))
    expected = mean_estimate([row[0] for row in PAIRS])
    assert found is not None
    assert expected is not None
    assert (found.value, found.n) == (pytest.approx(expected.value), 200)
    assert found.low == pytest.approx(expected.low, abs=0.004)
    assert found.high == pytest.approx(expected.high, abs=0.004)


def test_f1_of_means_has_about_the_delta_methods_interval() -> None:
    found = bootstrap_estimate(PAIRS, harmonic(0, 1))
    expected = f1_ap_of_means([(one, two) for one, two in PAIRS])
    assert found is not None
    assert expected is not None
    assert found.value == pytest.approx(expected.value)
    assert found.low == pytest.approx(expected.low, abs=0.004)
    assert found.high == pytest.approx(expected.high, abs=0.004)


def test_what_belongs_to_one_passage_stays_together() -> None:
    rows = [[value, value + 0.1] for value, _ in PAIRS]
    found = bootstrap_estimate(rows, difference(1, 0))
    assert found is not None
    assert found.low == pytest.approx(0.1)
    assert found.high == pytest.approx(0.1)


def test_the_same_passages_get_the_same_interval_in_blocks_or_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = bootstrap_estimate(PAIRS, column(0))
    assert first == bootstrap_estimate(PAIRS, column(0))
    monkeypatch.setattr(bootstrap, "_HELD", 10_000)
    assert first == bootstrap_estimate(PAIRS, column(0))


def test_the_interval_covers_as_often_as_it_says() -> None:
    held = 0
    for seed in range(200):
        drawn = np.random.default_rng(seed).normal(0.5, 0.2, size=(60, 1)).tolist()
        found = bootstrap_estimate(drawn, column(0), draws=400, seed=seed)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.5 <= found.high
    assert 0.90 <= held / 200 <= 0.99


@pytest.mark.parametrize("rows", [[], [[0.4, 1.0]]])
def test_few_passages_have_no_interval(rows: list[list[float]]) -> None:
    found = bootstrap_estimate(rows, column(0))
    assert found is None if not rows else (found and found.low is found.high is None)


def test_nothing_attributed_and_nothing_kept_is_0() -> None:
    found = bootstrap_estimate([[0.0, 0.0], [0.0, 0.0]], harmonic(0, 1))
    assert found is not None
    assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)
