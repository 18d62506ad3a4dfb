"""The papers' figures for attribution, preservation, intent and judged citations."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.metrics.attribution import best_entailment, f1_ap, f1_ap_contributions, f1_ap_of_means
from pipeline.metrics.citation_support import citation_scores
from pipeline.metrics.inference import ratio_estimate
from pipeline.metrics.preservation import (
    preservation_combined,
    preservation_intent,
    preservation_levenshtein,
)
from tests.support.estimates import ends, known

shares = st.floats(0, 1)


@given(st.text(min_size=1), st.text())
def test_preservation_is_a_share_and_whole_only_for_the_same_text(x: str, y: str) -> None:
    stored = known(preservation_levenshtein(x, y))
    assert 0.0 <= stored <= 1.0
    assert (stored == 1.0) == (x == y)


@given(shares, shares)
def test_f1_lies_between_its_two_parts(a: float, p: float) -> None:
    result = known(f1_ap(a, p))
    assert min(a, p) - 1e-9 <= result <= max(a, p) + 1e-9


@given(st.lists(shares, min_size=1))
def test_the_best_evidence_is_the_first_with_the_greatest_entailment(values: list[float]) -> None:
    assert best_entailment(values) == (max(values), values.index(max(values)))


@given(st.lists(st.tuples(shares, shares), min_size=1, max_size=12))
def test_f1_of_the_means_is_no_less_than_the_mean(pairs: list[tuple[float, float]]) -> None:
    result = known(f1_ap_of_means(pairs))
    assert 0 <= result.value <= 1 + 1e-12
    assert result.n == len(pairs)
    mine = [f1_ap(*pair) or 0.0 for pair in pairs]
    assert result.value >= sum(mine) / len(mine) - 1e-9


def test_the_interval_of_f1_is_what_resampling_the_passages_gives() -> None:
    generator = np.random.default_rng(5)
    pairs = np.stack([generator.uniform(0, 0.7, 80), generator.uniform(0.6, 1, 80)], axis=1)
    result = f1_ap_of_means([(float(a), float(p)) for a, p in pairs])
    samples = pairs[generator.integers(0, 80, (4000, 80))].mean(axis=1)
    resampled = 2 * samples.prod(axis=1) / samples.sum(axis=1)
    assert ends(result) == pytest.approx(tuple(np.percentile(resampled, [2.5, 97.5])), abs=0.006)


def test_the_interval_of_a_lead_is_about_the_bootstraps() -> None:
    chance = np.random.default_rng(7)
    one = np.column_stack([chance.beta(3, 2, 200), chance.beta(8, 2, 200)])
    other = np.column_stack([one[:, 0] * chance.beta(8, 2, 200), chance.beta(8, 1, 200)])

    def figures(means: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        return 2 * means[:, 0] * means[:, 1] / (means[:, 0] + means[:, 1])

    drawn = chance.integers(200, size=(4000, 200))
    leads = figures(one[drawn].mean(axis=1)) - figures(other[drawn].mean(axis=1))
    shares = [f1_ap_contributions(list(map(tuple, pairs.tolist()))) for pairs in (one, other)]
    lead = [a - b for a, b in zip(*shares, strict=True)]
    result = ratio_estimate(lead, lowest=-1, highest=1)
    assert ends(result) == pytest.approx(tuple(np.quantile(leads, [0.025, 0.975])), abs=0.004)


def test_characters_are_preserved_and_somewhat_similar_keeps_nothing_of_the_intent() -> None:
    assert preservation_levenshtein("大桥于1957年通车", "大桥于1958年通车") == pytest.approx(0.9)
    assert preservation_intent([1, 1, 1]) == 0.0
    assert preservation_intent([1, 2, 2]) == pytest.approx(2 / 3)


def test_nothing_to_score_is_none_and_not_0() -> None:
    assert best_entailment([]) == (0.0, None)
    assert f1_ap_of_means([]) is None
    assert known(f1_ap_of_means([(0.0, 0.0), (0.0, 0.0)])).value == 0.0
    assert preservation_levenshtein("", "x") is preservation_intent([]) is None
    assert preservation_combined(None, 1.0) is preservation_combined(1.0, None) is None
    scores = citation_scores(sentences=0, supported={}, citations=[])
    assert (scores.recall, scores.precision) == (None, None)
    assert citation_scores(sentences=2, supported={}, citations=[]).recall == 0.0


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    supported=st.lists(st.booleans(), min_size=1, max_size=5),
    judged=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=8),
)
def test_precision_0_by_no_support(supported: list[bool], judged: list[tuple[int, int]]) -> None:
    citations = [(sentence % len(supported), level) for sentence, level in judged]
    scores = citation_scores(
        sentences=len(supported), supported=dict(enumerate(supported)), citations=citations
    )
    assert scores.recall == sum(supported) / len(supported)
    if citations and not any(supported):
        assert scores.precision == 0.0
    if citations and all(supported) and all(level for _, level in citations):
        assert scores.precision == 1.0
