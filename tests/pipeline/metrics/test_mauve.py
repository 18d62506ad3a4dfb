"""MAUVE compared with its definition."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.metrics.mauve import area, k_means, mauve, reduced

counts = st.lists(st.integers(0, 500), min_size=4, max_size=4).filter(any)
"""Of texts in each cluster."""


def by_definition(p: list[float], q: list[float]) -> float:
    """Section 2 of the paper: trapezoids under the points of 25 mixtures and the two extremes."""

    def kl(a: list[float], b: list[float]) -> float:
        return sum(x * math.log(x / y) for x, y in zip(a, b, strict=True) if x > 0)

    curve = [(0.0, 1.0)]
    for step in reversed(range(25)):
        share = 1e-6 + (1 - 2e-6) * step / 24
        r = [share * x + (1 - share) * y for x, y in zip(p, q, strict=True)]
        curve.append((math.exp(-5 * kl(q, r)), math.exp(-5 * kl(p, r))))
    curve.append((1.0, 0.0))
    return sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(curve))


@example(people=[247, 247, 2, 247], model=[246, 246, 2, 251])  # points nearer than rounding
@given(people=counts, model=counts)
def test_the_area_is_the_definitions(people: list[int], model: list[int]) -> None:
    p, q = [x / sum(people) for x in people], [x / sum(model) for x in model]
    assert area(np.array(p), np.array(q)) == pytest.approx(by_definition(p, q), abs=1e-9)


def test_texts_alike_score_high_and_texts_apart_low() -> None:
    drawn = np.random.default_rng(1)
    people, like, unlike = (drawn.normal(size=(80, 8)) for _ in range(3))
    unlike[:, 0] += 8
    assert np.mean(mauve(people, like)) > 0.8
    assert np.mean(mauve(people, unlike)) < 0.1
    assert mauve(people, people) == pytest.approx([1.0] * 5)


def test_one_seed_gives_one_figure_and_another_another() -> None:
    drawn = np.random.default_rng(2)
    people, model = drawn.normal(size=(60, 8)), drawn.normal(size=(60, 8)) + 0.3
    result = mauve(people, model)
    assert result == mauve(people, model)
    assert len(set(result)) > 1
    # Too few texts have none.
    assert mauve(np.ones((1, 3)), np.ones((5, 3))) == []
    assert mauve(np.ones((4, 3)), np.ones((4, 3)), seeds=[1]) == pytest.approx([1.0])


def test_components_explain_nine_tenths_and_clusters_are_the_ones_that_are_there() -> None:
    drawn = np.random.default_rng(3)
    groups = [drawn.normal(scale=0.01, size=(10, 4)) + np.eye(4)[position] for position in range(3)]
    points = reduced(np.vstack(groups))
    assert points.shape == (30, 2)
    labels = k_means(points, 3, seed=0).reshape(3, 10)
    assert [len(set(row)) for row in labels] == [1, 1, 1]
    assert len(set(labels[:, 0])) == 3
