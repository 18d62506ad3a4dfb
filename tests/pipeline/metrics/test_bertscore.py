"""BERTScore against the definition, written out token by token."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics.bertscore import Vectors, bertscore
from tests.support.estimates import known

Rows = list[list[float]]
numbers = st.floats(-3, 3, allow_nan=False, width=32)
texts = st.lists(
    st.lists(numbers, min_size=3, max_size=3).filter(lambda row: any(abs(x) > 0.1 for x in row)),
    min_size=1,
    max_size=6,
)


def cosine(a: list[float], b: list[float]) -> float:
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a)) / math.sqrt(sum(y * y for y in b))


def by_definition(candidate: Rows, reference: Rows) -> tuple[float, float, float]:
    """Section 3 of the paper: greedy matching."""
    precision = sum(max(cosine(token, other) for other in reference) for token in candidate)
    recall = sum(max(cosine(token, other) for other in candidate) for token in reference)
    precision, recall = precision / len(candidate), recall / len(reference)
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both > 0 else 0.0


def made(rows: Rows) -> Vectors:
    return np.array(rows, dtype=np.float32).reshape(-1, 3)


@given(candidate=texts, reference=texts)
def test_it_is_the_definition(candidate: Rows, reference: Rows) -> None:
    result = bertscore(made(candidate), made(reference))
    assert result == pytest.approx(by_definition(candidate, reference), abs=1e-5)


def test_a_text_with_itself_is_1_sides_change_places_and_nothing_has_no_score() -> None:
    a, b = made([[1, 0, 0], [0, 1, 1]]), made([[1, 1, 0]])
    assert bertscore(a, a) == pytest.approx((1, 1, 1))
    one, other = known(bertscore(a, b)), known(bertscore(b, a))
    assert (one.precision, one.recall) == pytest.approx((other.recall, other.precision))
    assert bertscore(made([]), a) is bertscore(a, made([])) is None
