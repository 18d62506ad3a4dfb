"""From features to probabilities."""

import math

import pytest

from pipeline.backends.compact.entailment import coefficients, reader_features, word_features
from pipeline.backends.compact.entailment.idf import rarity
from pipeline.backends.compact.entailment.scorer import FEATURES, logistic, weighed


def test_only_features_that_exist_are_weighed() -> None:
    assert set(coefficients.ENTAILED) <= {"", *FEATURES}
    assert set(coefficients.CONTRADICTED) <= {"", *FEATURES}


def test_what_is_missing_never_speaks_for_entailment() -> None:
    against = word_features.AGAINST | reader_features.AGAINST
    for name, weight in coefficients.ENTAILED.items():
        assert not name or (weight <= 0 if name in against else weight >= 0), name


def test_words_and_reader_both_count() -> None:
    for family in (word_features.FEATURES, reader_features.FEATURES):
        assert any(coefficients.ENTAILED.get(name) for name in family)


@pytest.mark.parametrize("value", [-1e4, -1.0, 0.0, 1.0, 1e4])
def test_probabilities_of_any_features_are_probabilities(value: float) -> None:
    found = weighed(dict.fromkeys(FEATURES, value))
    assert found.contradicted is not None
    assert 0 <= found.entailed <= 1
    assert 0 <= found.contradicted <= 1
    assert found.entailed + found.contradicted <= 1 + 1e-9


def test_the_logistic_function_is_that_of_the_weighted_sum() -> None:
    found = logistic({"": -1.0, "a": 2.0}, {"a": 1.5, "unused": 9.0})
    assert found == pytest.approx(1 / (1 + math.exp(-2)))


def test_rare_words_tell_more() -> None:
    assert 0 < rarity("the") < rarity("year") < rarity("turquois") < 10
    assert rarity("xyzzy") == rarity("qwertz")
