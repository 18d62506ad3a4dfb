"""From features to probabilities."""

import pytest

from pipeline.backends.compact.entailment import coefficients, reader_features, word_features
from pipeline.backends.compact.entailment.scorer import FEATURES, weighed


def test_what_is_missing_never_speaks_for_entailment() -> None:
    against = word_features.NEGATIVE_FEATURES | reader_features.NEGATIVE_FEATURES
    for name, weight in coefficients.ENTAILED.items():
        assert not name or (weight <= 0 if name in against else weight >= 0), name


@pytest.mark.parametrize("value", [-1e4, -1.0, 0.0, 1.0, 1e4])
def test_probabilities_of_any_features_are_probabilities(value: float) -> None:
    result = weighed(dict.fromkeys(FEATURES, value))
    assert result.contradicted is not None
    assert 0 <= result.entailed <= 1
    assert 0 <= result.contradicted <= 1
    assert result.entailed + result.contradicted <= 1 + 1e-9
