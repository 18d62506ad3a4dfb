"""Who made auto-AIS figures, in words: the card's figure only where it is of those weights."""

from dataclasses import replace

import pytest

from pipeline.backends import model_cards
from pipeline.backends.model_cards import UnreadableCard, stamp_of
from pipeline.engine.scorer_info import STAMP, run_scorer, scorer
from tests.support.model_cards import make_card, ship

HEADLINE = "AUC 0.81 [0.78, 0.84] on Bench dev (n\u00a01,197)"


def test_the_shipped_model_is_named_with_its_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    ship(monkeypatch, make_card())
    found = scorer("compact")
    assert (found.says, found.is_measured) == (HEADLINE, True)


def test_a_headline_over_groups_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    ship(monkeypatch, make_card(headline="page_dev"))
    assert scorer("compact").says.endswith("on Pages dev (n\u00a01,023 in 349 groups)")


def test_a_model_by_name_has_no_figures_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    ship(monkeypatch, make_card())
    found = scorer("hf:google/t5_xxl_true_nli_mixture")
    assert "no figures of ours" in found.says
    assert found.card is None


def test_without_a_card_nothing_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    ship(monkeypatch, None)
    assert "no model card" in scorer("compact").says


def test_an_unreadable_card_is_as_good_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise UnreadableCard("The model card card.json is no JSON.")

    monkeypatch.setattr(model_cards, "shipped_card", broken)
    assert "no model card" in scorer("compact").says


def test_a_run_of_the_same_weights_has_the_cards_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    card = make_card()
    ship(monkeypatch, card, stamp="other weights are installed by now")
    found = run_scorer({"entailment": "compact"}, {STAMP: stamp_of(card)})
    assert found is not None
    assert (found.says, found.is_measured) == (HEADLINE, True)


def test_a_run_of_other_weights_does_not_borrow_the_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    ship(monkeypatch, make_card())
    found = run_scorer({"entailment": "compact"}, {STAMP: "1.0, sha256 " + "cd" * 32})
    assert found is not None
    assert "earlier version (1.0, sha256 cdcdcdcd…)" in found.says
    assert not found.is_measured
    assert "0.81" not in found.says


def test_a_run_of_other_constants_does_not_borrow_the_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weights = replace(make_card().weights, constants="0123456789abcdef")
    card = make_card(weights=weights)
    ship(monkeypatch, card)
    assert scorer("compact").is_measured
    for other in ("f" * 16, ""):
        used = stamp_of(make_card(weights=replace(weights, constants=other)))
        found = run_scorer({"entailment": "compact"}, {STAMP: used})
        assert found is not None
        assert not found.is_measured
    # A card from before constants were kept is taken at its word about the weights.
    ship(monkeypatch, make_card())
    found = run_scorer({"entailment": "compact"}, {STAMP: stamp_of(card)})
    assert found is not None
    assert found.is_measured


def test_a_run_from_before_the_weights_does_not_borrow_the_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ship(monkeypatch, make_card())
    found = run_scorer({"entailment": "compact"}, {"rarrweb": "0.1.0"})
    assert found is not None
    assert "made before" in found.says
    assert not found.is_measured


def test_weights_that_are_not_the_cards_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    ship(monkeypatch, make_card(), stamp="1.2, sha256 " + "cd" * 32)
    assert scorer("compact").says == (
        "the weights, the parser or the fitted constants are not those of the model card"
    )


def test_a_run_that_names_no_model_has_no_scorer() -> None:
    assert run_scorer({}, {}) is None


def test_a_manifest_holds_the_figure_in_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    ship(monkeypatch, make_card())
    assert scorer("compact").to_plain() == {
        "model": "compact",
        "measured": HEADLINE,
        "card": {"version": "1.2", "weights_sha256": "ab" * 32},
        "figure": {
            "dataset": "bench_dev", "n": 1197, "groups": None,
            "auc": 0.812, "low": 0.781, "high": 0.843,
        },
    }  # fmt: skip
    assert scorer("hf:a/b").to_plain()["figure"] is None
