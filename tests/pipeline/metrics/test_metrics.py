"""The paper's figures for attribution and preservation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics.attribution import best_entailment, f1_ap, f1_ap_of_means, f1_ap_shares
from pipeline.metrics.inference import mean_estimate
from pipeline.metrics.preservation import preservation_combined, preservation_levenshtein

shares = st.floats(0, 1)


@given(st.text(min_size=1), st.text())
def test_preservation_is_a_share_and_whole_only_for_the_same_text(x: str, y: str) -> None:
    kept = preservation_levenshtein(x, y)
    assert kept is not None
    assert 0.0 <= kept <= 1.0
    assert (kept == 1.0) == (x == y)


def test_preservation_counts_characters_not_bytes() -> None:
    assert preservation_levenshtein("大桥于1957年通车", "大桥于1958年通车") == pytest.approx(0.9)


@given(shares, shares)
def test_f1_lies_between_its_two_parts(a: float, p: float) -> None:
    found = f1_ap(a, p)
    assert found is not None
    assert min(a, p) - 1e-9 <= found <= max(a, p) + 1e-9


def test_a_revision_that_changes_the_intent_preserves_nothing() -> None:
    assert preservation_combined(0.0, 0.99) == 0.0
    assert preservation_combined(1.0, None) is None


def test_the_papers_figures_give_the_papers_f1() -> None:
    # Table 1, RARR: AIS after, Pres_comb, F1_AP on NQ, SQA and QReCC.
    for ais, kept, f1 in ((43.4, 83.1, 57.0), (31.5, 84.6, 45.9), (28.3, 78.1, 41.5)):
        assert f1_ap(ais / 100, kept / 100) == pytest.approx(f1 / 100, abs=0.0005)


@given(st.lists(shares, min_size=1))
def test_the_best_evidence_is_the_first_with_the_greatest_entailment(values: list[float]) -> None:
    assert best_entailment(values) == (max(values), values.index(max(values)))


@pytest.mark.parametrize(
    ("attribution", "preservation", "paper"),
    [(0.549, 0.896, 0.681), (0.451, 0.899, 0.600), (0.294, 0.802, 0.431), (0.303, 0.988, 0.464)],
)
def test_f1_of_many_passages_is_that_of_the_papers_table_2(
    attribution: float, preservation: float, paper: float
) -> None:
    spread = min(attribution, 1 - attribution)
    found = f1_ap_of_means(
        [(attribution - spread, preservation), (attribution + spread, preservation)]
    )
    assert found is not None
    assert found.value == pytest.approx(paper, abs=0.0012)


@given(st.lists(st.tuples(shares, shares), min_size=1, max_size=12))
def test_f1_of_the_means_is_on_the_scale_and_no_less_than_the_mean_f1(
    pairs: list[tuple[float, float]],
) -> None:
    found = f1_ap_of_means(pairs)
    assert found is not None
    assert 0 <= found.value <= 1 + 1e-12
    assert found.n == len(pairs)
    own = [f1_ap(*pair) or 0.0 for pair in pairs]
    assert found.value >= sum(own) / len(own) - 1e-9


def test_the_interval_of_f1_is_what_resampling_the_passages_gives() -> None:
    generator = np.random.default_rng(5)
    pairs = np.stack([generator.uniform(0, 0.7, 80), generator.uniform(0.6, 1, 80)], axis=1)
    found = f1_ap_of_means([(float(a), float(p)) for a, p in pairs])
    samples = pairs[generator.integers(0, 80, (4000, 80))].mean(axis=1)
    resampled = 2 * samples.prod(axis=1) / samples.sum(axis=1)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(
        tuple(np.percentile(resampled, [2.5, 97.5])), abs=0.006
    )


def test_f1_of_no_passages_is_unknown_and_of_nothing_attributed_is_0() -> None:
    assert f1_ap_of_means([]) is None
    found = f1_ap_of_means([(0.0, 0.0), (0.0, 0.0)])
    assert found is not None
    assert found.value == 0.0


def test_the_interval_of_a_lead_is_about_the_bootstraps() -> None:
    chance = np.random.default_rng(7)
    one = np.column_stack([chance.beta(3, 2, 200), chance.beta(8, 2, 200)])
    other = np.column_stack([one[:, 0] * chance.beta(8, 2, 200), chance.beta(8, 1, 200)])

    def figures(means: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        return 2 * means[:, 0] * means[:, 1] / (means[:, 0] + means[:, 1])

    drawn = chance.integers(200, size=(4000, 200))
    leads = figures(one[drawn].mean(axis=1)) - figures(other[drawn].mean(axis=1))
    shares = [f1_ap_shares(list(map(tuple, pairs.tolist()))) for pairs in (one, other)]
    found = mean_estimate([a - b for a, b in zip(*shares, strict=True)], lowest=-1, highest=1)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(
        tuple(np.quantile(leads, [0.025, 0.975])), abs=0.004
    )
