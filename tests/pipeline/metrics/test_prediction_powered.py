"""Prediction-powered inference: what raters say of some, and auto-AIS of all."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.metrics.prediction_powered import PredictionPowered, prediction_powered_mean
from tests.support.estimates import ends, known

Numbers = Sequence[float]
UNITS = st.floats(0, 1, allow_subnormal=False)


def powered(
    labels: Numbers,
    scores: Numbers,
    weights: Numbers | None = None,
    *,
    mean_score: float = 0.5,
    passages: int = 1000,
    **scale: float,
) -> PredictionPowered:
    return known(
        prediction_powered_mean(
            labels, scores, weights, mean_score=mean_score, passages=passages, **scale
        )
    )


def half(estimate: Estimate | None) -> float:
    low, high = ends(estimate)
    return (high - low) / 2


def same(one: Estimate, given: Estimate | None) -> bool:
    other = known(given)
    wanted = (other.value, other.low, other.high)
    return one.n == other.n and (one.value, one.low, one.high) == pytest.approx(wanted, abs=1e-9)


def test_six_labels_of_sixty_worked_by_hand() -> None:
    # Labels lie 1/2 off their mean, scores 0.3 (twice 0.2): the slope is 0.8/0.52 > 1, so λ is 1.
    labels = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    scores = [0.2, 0.3, 0.2, 0.8, 0.7, 0.8]
    result = powered(labels, scores, mean_score=0.4, passages=60)
    assert result.tuning == 1
    assert result.estimate.value == pytest.approx(0.5 + (0.4 - 0.5))
    off = np.array([0.3, 0.2, 0.3, 0.3, 0.2, 0.3])  # of the scores, whatever their sign
    leverage = off**2 / (off**2).sum() / (1 - 1 / 6)
    rest = (0.5 - off) / (1 - leverage)
    variance = (0.9 * (rest**2).sum() + 0.1 * 6 * 0.25) / (6 * 5)
    assert half(result.estimate) == pytest.approx(student.ppf(0.975, 5) * variance**0.5)
    assert half(result.classical) == pytest.approx(student.ppf(0.975, 5) * (1.5 / 30) ** 0.5)
    assert result.effective_n == pytest.approx(6 * 1.5 / 30 / variance)


def test_the_tuning_is_the_slope_of_labels_on_scores() -> None:
    labels, scores = [0.0, 1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.0, 1.0]
    result = powered(labels, scores, mean_score=0.5)
    # Both have squares 1.2 off their means, and the products add up to 0.2.
    assert result.tuning == pytest.approx(1 / 6)
    assert result.estimate.value == pytest.approx(0.6 + (0.5 - 0.6) / 6)


def test_no_other_tuning_has_a_narrower_interval_where_chances_differ() -> None:
    labels, scores = [0.0, 1.0, 1.0, 0.0, 1.0], [0.1, 0.6, 0.9, 0.5, 0.4]
    weights = [2.0, 2.0, 4.0, 4.0, 8.0]  # they add up to 20, so of 40 passages each stands for two
    result = powered(labels, scores, weights, mean_score=0.5, passages=40)

    def left(tuning: float) -> float:
        rest = [y - tuning * f for y, f in zip(labels, scores, strict=True)]
        mean = sum(w * each for w, each in zip(weights, rest, strict=True)) / 20
        return sum(
            (w / 20) ** 2 * (1 - 0.5 / w) * (each - mean) ** 2
            for w, each in zip(weights, rest, strict=True)
        )

    assert 0 < result.tuning < 1
    assert left(result.tuning) < min(left(result.tuning - 0.01), left(result.tuning + 0.01))
    assert result.classical.value == pytest.approx((2 + 4 + 8) / 20)
    drawn = (0.2 + 1.2 + 3.6 + 2 + 3.2) / 20
    assert result.estimate.value == pytest.approx(0.7 + result.tuning * (0.5 - drawn))


@given(st.lists(st.tuples(UNITS, st.floats(1, 9)), min_size=2, max_size=30), UNITS)
def test_constant_scores_change_nothing(drawn: list[tuple[float, float]], score: float) -> None:
    labels, weights = zip(*drawn, strict=True)
    result = powered(labels, [score] * len(labels), weights, mean_score=0.3, lowest=0, highest=1)
    assert result.tuning == 0
    assert same(result.estimate, ratio_estimate(labels, weights=weights, lowest=0, highest=1))
    assert same(result.classical, result.estimate)


def test_scores_that_contradict_the_labels_are_not_used() -> None:
    labels = [0.0, 1.0, 0.0, 1.0, 1.0, 0.0]
    result = powered(labels, [1 - each for each in labels], mean_score=0.2)
    assert result.tuning == 0
    assert same(result.estimate, ratio_estimate(labels))


@given(st.lists(st.tuples(UNITS, UNITS), min_size=4, max_size=30))
def test_scores_add_nothing_to_full_labels(drawn: list[tuple[float, float]]) -> None:
    labels, scores = zip(*drawn, strict=True)
    result = powered(labels, scores, mean_score=float(np.mean(scores)), passages=len(labels))
    assert same(result.estimate, ratio_estimate(labels))


@given(
    st.lists(st.tuples(UNITS, UNITS, st.floats(0.1, 9)), min_size=1, max_size=30),
    st.floats(0.01, 100),
    UNITS,
)
def test_only_the_proportions_of_weights_count_and_the_interval_stays_on_the_scale(
    drawn: list[tuple[float, float, float]], factor: float, mean_score: float
) -> None:
    labels, scores, weights = zip(*drawn, strict=True)
    scale = {"lowest": 0.0, "highest": 1.0}
    result = powered(labels, scores, weights, mean_score=mean_score, **scale)
    scaled = [factor * weight for weight in weights]
    again = powered(labels, scores, scaled, mean_score=mean_score, **scale)
    assert again.estimate.value == pytest.approx(result.estimate.value, abs=1e-6)
    assert 0 <= result.tuning <= 1
    assert 0 <= result.estimate.value <= 1
    assert result.estimate.n == len(labels)
    if len(labels) < 5:
        assert result.estimate.low is None
    elif result.estimate.low is None or again.estimate.low is None:
        assert max(labels) - min(labels) < 1e-6
    else:
        assert half(again.estimate) == pytest.approx(half(result.estimate), abs=1e-6)
        assert result.estimate.high is not None
        assert 0 <= result.estimate.low <= result.estimate.value + 1e-12
        assert result.estimate.value - 1e-12 <= result.estimate.high <= 1


def test_no_labels_are_none_and_what_does_not_fit_is_refused() -> None:
    assert prediction_powered_mean([], [], mean_score=0.5, passages=9) is None
    for labels, scores, weights, passages in (
        ([1.0], [], None, 9),
        ([1.0, 0.0], [0.5, 0.5], None, 1),
        ([1.0], [0.5], [0.0], 9),
        ([1.0], [0.5], [1.0, 1.0], 9),
    ):
        with pytest.raises(ValueError, match="weight"):
            prediction_powered_mean(labels, scores, weights, mean_score=0.5, passages=passages)
    with pytest.raises(ValueError, match="no width"):
        powered([0.0, 1.0], [0.0, 1.0]).labels_needed(0)


def test_labels_needed_are_the_fewest_that_are_enough() -> None:
    drawn = np.random.default_rng(3)
    scores = drawn.random(200)
    labels = (drawn.random(200) < scores).astype(float)
    result = powered(list(labels), list(scores), passages=3000)
    wide = half(result.estimate)
    assert result.labels_needed(wide * 1.0001) == 200
    assert result.labels_needed(wide * 0.9999) == 201
    alone = known(result.labels_needed(wide, alone=True))
    assert alone == pytest.approx(known(result.effective_n), abs=2)
    assert alone > 230
    assert half(result.classical) > wide


def test_a_run_can_be_too_small_for_an_interval_and_no_spread_tells_nothing() -> None:
    labels, scores = [0.0, 1.0] * 10, [0.3, 0.7, 0.4, 0.6] * 5
    result = powered(labels, scores, passages=100)
    assert result.labels_needed(0.001) is None
    assert (result.labels_needed(0.001, alone=True) or 0) > 100
    alike = powered([1.0] * 8, [0.1, 0.9] * 4)
    assert alike.effective_n is alike.labels_needed(0.03) is None
    assert alike.labels_needed(0.03, alone=True) is None


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_interval_holds_the_population_mean_and_is_narrower(is_weighted: bool) -> None:
    drawn = np.random.default_rng(11)
    repetitions, passages, wanted = 600, 400, 40
    hits = 0
    widths: list[tuple[float, float]] = []
    for _ in range(repetitions):
        truth = drawn.beta(0.6, 0.4, passages)
        labels = (drawn.random(passages) < truth).astype(float)
        # Off by 0.2 on average: taken for labels, they would miss nearly always.
        scores = np.clip(truth - 0.2 + drawn.normal(0, 0.1, passages), 0, 1)
        readiness = 0.5 + scores if is_weighted else np.ones(passages)
        chances = wanted * readiness / readiness.sum()
        taken = drawn.random(passages) < chances
        drawn_of = [list(each[taken]) for each in (labels, scores, 1 / chances)]
        result = powered(*drawn_of, mean_score=float(scores.mean()), passages=passages)
        low, high = ends(result.estimate)
        hits += low <= 0.6 <= high
        widths.append((half(result.estimate), half(result.classical)))
    # Without the labels' correction none would hold it; with the normal distribution 92 in 100.
    assert 0.93 <= hits / repetitions <= 0.975
    narrow, classical = np.mean(widths, axis=0)
    assert narrow < 0.85 * classical


def test_the_interval_allows_for_the_run_being_a_sample_too() -> None:
    drawn = np.random.default_rng(5)
    hits = 0
    for _ in range(600):
        labels = drawn.random(60) < 0.4
        scores = labels + drawn.normal(0, 0.1, 60)  # knows nearly all of the run
        known_labels = list(labels[:30].astype(float))
        mean = float(scores.mean())
        result = powered(known_labels, list(scores[:30]), mean_score=mean, passages=60)
        low, high = ends(result.estimate)
        hits += low <= 0.4 <= high
    assert 0.92 <= hits / 600 <= 0.98
