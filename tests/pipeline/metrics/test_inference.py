"""Intervals of means and shares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics.inference import Estimate, median_estimate, ratio_estimate, share_estimate
from pipeline.metrics.prediction_powered import prediction_powered_mean
from tests.support.estimates import ends, known


@pytest.mark.parametrize("is_share", [False, True])
def test_intervals_hold_the_truth_about_95_times_in_100(is_share: bool) -> None:
    generator = np.random.default_rng(7)
    hits = 0
    for _ in range(2000):
        if is_share:
            estimate, truth = share_estimate(int(generator.binomial(400, 0.2)), 400), 0.2
        else:
            estimate, truth = ratio_estimate(generator.normal(0.4, 0.1, size=8).tolist()), 0.4
        low, high = ends(estimate)
        hits += low <= truth <= high
    assert hits / 2000 == pytest.approx(0.95, abs=0.015)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_an_interval_holds_its_mean_and_stays_on_the_scale(values: list[float]) -> None:
    result = known(ratio_estimate(values, lowest=0, highest=1))
    if result.low is None or result.high is None:
        assert result.note()
        return
    assert 0 <= result.low <= result.value + 1e-12
    assert result.value - 1e-12 <= result.high <= 1


@given(st.integers(5, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_of_a_share_holds_the_share(counts: tuple[int, int]) -> None:
    result = known(share_estimate(*counts))
    low, high = ends(result)
    assert 0 <= low <= result.value <= high <= 1
    assert low < high


def test_near_an_end_the_interval_of_a_share_is_wilsons_and_beyond_it_refused() -> None:
    result = [ends(share_estimate(count, 30)) for count in range(4)]
    # By Wilson's formula, to four places.
    expected = [(0, 0.1135), (0.0059, 0.1667), (0.0185, 0.2132), (0.0346, 0.2562)]
    assert np.array(result) == pytest.approx(np.array(expected), abs=5e-5)
    for count in (-1, 3):
        with pytest.raises(ValueError, match="no share"):
            share_estimate(count, 2)


@pytest.mark.parametrize(
    ("n", "ranks"),
    # Exact binomial ranks, as tables of the sign test's interval give them.
    [(5, None), (6, (1, 6)), (9, (2, 8)), (20, (6, 15)), (50, (18, 33)), (100, (40, 61))],
)
def test_the_interval_of_a_median_by_ranks(n: int, ranks: tuple[int, int] | None) -> None:
    result = known(median_estimate(list(range(n, 0, -1))))
    assert (result.value, result.n) == ((n + 1) / 2, n)
    assert (result.low, result.high) == (ranks or (None, None))


def every_estimate(n: int) -> dict[str, Estimate | None]:
    """One of each kind, of `n` passages that differ."""
    values = [0.2 + 0.6 * (position % 2) for position in range(n)]
    ones = [1.0] * n
    powered = known(prediction_powered_mean(values, values, mean_score=0.5, passages=100))
    return {
        "mean": ratio_estimate(values, lowest=0, highest=1),
        "mean at an end": ratio_estimate(ones, lowest=0, highest=1),
        "weighted mean": ratio_estimate(values, weights=[1.0, *[2.0] * (n - 1)]),
        "ratio": ratio_estimate(values, ones, weights=ones, lowest=0, highest=1),
        "share": share_estimate(1, n),
        "prediction-powered": powered.estimate,
        "labels alone": powered.classical,
    }


@pytest.mark.parametrize("n", [2, 3, 4])
def test_fewer_than_five_clusters_have_no_interval(n: int) -> None:
    for name, result in every_estimate(n).items():
        assert (name, known(result).low, known(result).high) == (name, None, None)
        assert known(result).note() == "no interval: fewer than 5 passages"
        assert known(result).note("questions") == "no interval: fewer than 5 questions"
    for name, result in every_estimate(5).items():
        assert (name, known(result).low is None, known(result).note()) == (name, False, "")


def test_equal_values_within_the_scale_have_no_interval() -> None:
    for result in (
        ratio_estimate([0.5] * 30, lowest=0, highest=1),
        ratio_estimate([2.0] * 30, lowest=0),
        ratio_estimate([0.1 + 0.2, 0.3] * 15, lowest=0, highest=1),
        ratio_estimate([1.0] * 30, [2.0] * 30, lowest=0, highest=1),
        median_estimate([3.0] * 30),
    ):
        assert (known(result).low, known(result).high) == (None, None)
        assert known(result).note() == "no interval: all values are equal"


def test_labels_never_suffice_without_an_interval() -> None:
    labels = [0.50, 0.51, 0.49, 0.5, 0.51, 0.5]
    result = known(prediction_powered_mean(labels, labels, mean_score=0.5, passages=10))
    assert result.labels_needed(0.9) == result.labels_needed(0.9, alone=True) == 5


def test_equal_weights_are_the_plain_mean_with_its_interval() -> None:
    values = [0.1, 0.9, 0.4, 0.7]
    plain, weighted = ratio_estimate(values), ratio_estimate(values, weights=[3.0] * 4)
    for end in ("value", "low", "high"):
        assert getattr(weighted, end) == pytest.approx(getattr(plain, end))


def test_a_ratio_worked_by_hand() -> None:
    # Weighted parts 1·1 + 3·3 = 10 of weighted wholes 1·2 + 3·4 = 14.
    result = known(ratio_estimate([1, 3], [2, 4], weights=[1, 3]))
    assert (result.value, result.n) == (pytest.approx(10 / 14), 2)
    assert ratio_estimate([], []) is None
    assert ratio_estimate([0], [0]) is None


def test_sentences_of_a_passage_that_are_alike_tell_no_more_than_one() -> None:
    clusters = [sentence // 5 for sentence in range(25)]
    labels = [float(cluster != 0) for cluster in clusters]
    result = known(ratio_estimate(labels, clusters=clusters, lowest=0, highest=1))
    assert (result.n, result.value) == (5, 0.8)
    assert ends(result) == pytest.approx((0.3755, 0.9638), abs=1e-4)  # Wilson's of four of five
    alike = ratio_estimate(labels[5:], clusters=clusters[5:], lowest=0, highest=1)
    assert alike == share_estimate(4, 4)


@pytest.mark.parametrize("weights", [[0.0], [-1.0], [float("nan")], [1.0, 2.0]])
def test_weights_that_are_none_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # two sentences, of two mistakes
        ratio_estimate([0.5], weights=weights)
