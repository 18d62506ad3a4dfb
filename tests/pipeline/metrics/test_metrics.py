"""The paper's figures for attribution and preservation."""

import doctest
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics import attribution, f1, inference, preservation
from pipeline.metrics.attribution import best_entailment
from pipeline.metrics.f1 import f1_ap
from pipeline.metrics.preservation import preservation_combined, preservation_levenshtein

shares = st.floats(0, 1)


@pytest.mark.parametrize("module", [attribution, f1, inference, preservation])
def test_the_examples_in_the_docstrings_hold(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


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
    # Table 1, RARR on PaLM's outputs for NQ: AIS after 43.4, Pres_comb 83.1, F1_AP 57.0.
    assert f1_ap(0.434, 0.831) == pytest.approx(0.570, abs=0.0005)


@given(st.lists(shares, min_size=1))
def test_the_best_evidence_is_the_first_with_the_greatest_entailment(values: list[float]) -> None:
    assert best_entailment(values) == (max(values), values.index(max(values)))
