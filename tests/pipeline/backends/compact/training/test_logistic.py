"""Fitting logistic rules, and the figures that judge them."""

import numpy as np
import pytest

from pipeline.backends.compact.training.logistic import (
    Sample,
    area,
    calibration_error,
    fitted,
    logits_of,
    macro_f1,
)

NAMES = ("good", "bad", "noise")


def sample(*, rows: int = 2000, shift: float = 0.0, seed: int = 3) -> Sample:
    """Labels that follow 2 * good - 1 * bad + shift."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(rows, 3))
    chance = 1 / (1 + np.exp(-(2 * features[:, 0] - features[:, 1] + shift)))
    return Sample(features=features, labels=(random.random(rows) < chance).astype(float))


def test_weights_and_bias_are_found_again() -> None:
    found = fitted(
        [sample(shift=0.5)], NAMES, against={"bad"}, ridge=1e-6, balanced=False, shared_bias=True
    )
    assert found["good"] == pytest.approx(2, abs=0.3)
    assert found["bad"] == pytest.approx(-1, abs=0.3)
    assert found[""] == pytest.approx(0.5, abs=0.2)


def test_a_feature_cannot_speak_against_its_meaning() -> None:
    found = fitted(
        [sample()], NAMES, against={"good"}, ridge=1e-6, balanced=False, shared_bias=True
    )
    assert found["good"] == 0.0
    assert found["bad"] == 0.0


def test_sources_with_other_shares_of_supported_rows_do_not_teach_a_feature_that_names_them() -> (
    None
):
    # "noise" tells the sources apart, and within each it tells nothing.
    first, second = sample(shift=-2, seed=4), sample(shift=2, seed=5)
    first.features[:, 2], second.features[:, 2] = -1.0, 1.0
    rule = {
        shared: fitted([first, second], NAMES, ridge=1e-3, balanced=False, shared_bias=shared)[
            "noise"
        ]
        for shared in (True, False)
    }
    assert rule[True] > 0.5
    assert rule[False] == pytest.approx(0.0, abs=0.05)


def test_logits_leave_out_what_has_no_weight() -> None:
    found = logits_of({"": 1.0, "good": 2.0}, np.array([[1.0, 5.0, 5.0]]), NAMES)
    assert found.tolist() == [3.0]


def test_area_counts_ties_half() -> None:
    labels = np.array([1.0, 0.0, 1.0, 0.0])
    assert area(labels, np.array([0.9, 0.1, 0.5, 0.5])) == pytest.approx(0.875)
    assert np.isnan(area(np.ones(3), np.arange(3.0)))


def test_probabilities_that_come_true_as_often_have_no_calibration_error() -> None:
    labels = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0])
    said = np.array([0.25] * 4 + [0.75] * 4)
    assert calibration_error(labels, said) == pytest.approx(0.0)
    assert calibration_error(labels, np.ones(8)) == pytest.approx(0.5)


def test_macro_f1_takes_both_labels_alike() -> None:
    labels = np.array([1.0, 1.0, 1.0, 0.0])
    assert macro_f1(labels, labels == 1) == 1.0
    assert macro_f1(labels, np.array([True] * 4)) == pytest.approx((6 / 7) / 2)
