"""Figures from people's judgments: intent and citations."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.metrics.citation_judgments import FULL, NONE, PARTIAL, citation_scores
from pipeline.metrics.preservation import preservation, preservation_intent

levels = st.lists(st.sampled_from([0, 1, 2]), max_size=5)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(original=st.text(max_size=20), revised=st.text(max_size=20), said=levels)
def test_comb_is_the_product_and_never_above_either(
    original: str, revised: str, said: list[int]
) -> None:
    kept = preservation(original, revised, said)
    if kept.intent is None or kept.levenshtein is None:
        assert kept.combined is None
    else:
        assert kept.combined == kept.intent * kept.levenshtein
        assert kept.combined <= min(kept.intent, kept.levenshtein)


def test_somewhat_similar_keeps_nothing_of_the_intent() -> None:
    assert preservation_intent([1, 1, 1]) == 0.0
    assert preservation_intent([1, 2, 2]) == pytest.approx(2 / 3)


def test_nothing_to_score_is_none_and_not_0() -> None:
    assert preservation("", "x", [2]).combined is None
    assert preservation("x", "x", []).intent is None
    scores = citation_scores(sentences=0, supported={}, citations=[])
    assert (scores.recall, scores.precision) == (None, None)
    assert citation_scores(sentences=2, supported={}, citations=[]).recall == 0.0


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    supported=st.lists(st.booleans(), min_size=1, max_size=5),
    said=st.lists(st.tuples(st.integers(0, 4), st.sampled_from([NONE, PARTIAL, FULL])), max_size=8),
)
def test_precision_is_0_where_no_sentence_is_supported(
    supported: list[bool], said: list[tuple[int, int]]
) -> None:
    citations = [(sentence % len(supported), level) for sentence, level in said]
    scores = citation_scores(
        sentences=len(supported), supported=dict(enumerate(supported)), citations=citations
    )
    assert scores.recall == sum(supported) / len(supported)
    if citations and not any(supported):
        assert scores.precision == 0.0
    if citations and all(supported) and all(level for _, level in citations):
        assert scores.precision == 1.0
