"""BERTScore against the definition, written out token by token."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics.bertscore import Vectors, bertscore, document_counts, idf_weights

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


def by_definition(
    candidate: Rows, reference: Rows, of_candidate: list[float], of_reference: list[float]
) -> tuple[float, float, float]:
    """Section 3 of the paper: greedy matching, each token weighted by its idf."""
    precision = sum(
        weight * max(cosine(token, other) for other in reference)
        for token, weight in zip(candidate, of_candidate, strict=True)
    ) / sum(of_candidate)
    recall = sum(
        weight * max(cosine(token, other) for other in candidate)
        for token, weight in zip(reference, of_reference, strict=True)
    ) / sum(of_reference)
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both > 0 else 0.0


def made(rows: Rows) -> Vectors:
    return np.array(rows, dtype=np.float32).reshape(-1, 3)


@given(candidate=texts, reference=texts, data=st.data())
def test_it_is_the_definition(candidate: Rows, reference: Rows, data: st.DataObject) -> None:
    weights = [
        data.draw(st.lists(st.floats(0.1, 5), min_size=len(each), max_size=len(each)))
        for each in (candidate, reference)
    ]
    plain = bertscore(made(candidate), made(reference))
    ones = [1.0] * len(candidate), [1.0] * len(reference)
    assert plain == pytest.approx(by_definition(candidate, reference, *ones), abs=1e-5)
    weighted = bertscore(
        made(candidate), made(reference),
        candidate_weights=weights[0], reference_weights=weights[1],
    )  # fmt: skip
    assert weighted == pytest.approx(by_definition(candidate, reference, *weights), abs=1e-5)


def test_a_text_with_itself_is_1_and_sides_change_places() -> None:
    a, b = made([[1, 0, 0], [0, 1, 1]]), made([[1, 1, 0]])
    assert bertscore(a, a) == pytest.approx((1, 1, 1))
    one, other = bertscore(a, b), bertscore(b, a)
    assert one is not None
    assert other is not None
    assert (one.precision, one.recall) == pytest.approx((other.recall, other.precision))


def test_nothing_to_score_is_none() -> None:
    some = made([[1, 0, 0]])
    assert bertscore(made([]), some) is None
    assert bertscore(some, made([])) is None
    assert bertscore(some, some, candidate_weights=[0.0]) is None


def test_idf_is_of_references_with_one_added() -> None:
    counts = document_counts([["the", "the", "river"], ["the", "sea"], ["a"]])
    assert idf_weights(["the", "river", "unknown"], counts, n=3) == pytest.approx(
        [math.log(4 / 3), math.log(4 / 2), math.log(4 / 1)]
    )
