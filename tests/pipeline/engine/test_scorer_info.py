"""The description of the model that made auto-AIS figures."""

import pytest

from pipeline.backends.compact.text import parsing
from pipeline.backends.model_cards import card_stamp, headline_figure, shipped_card, shipped_stamp
from pipeline.engine.scorer_info import STAMP, headline, run_scorer, scorer
from tests.support.estimates import known

OTHER = "with other weights, or another parser, than those of the model card"


def test_the_shipped_model_is_named_with_its_figure() -> None:
    figure = "AUC 0.79 [0.76, 0.81] on AttributionBench dev (n\u00a01,197 in 1,091 groups)"
    assert (scorer("compact").description, scorer("compact").is_measured) == (figure, True)
    assert run_scorer({"entailment": "compact"}, {STAMP: card_stamp()}) == scorer("compact")
    assert run_scorer({}, {}) is None


def test_single_rows_have_no_groups_and_a_model_by_name_no_figures_of_ours() -> None:
    auc = {"value": 0.8, "low": 0.7, "high": 0.9}
    figure = {"dataset": "a", "title": "A", "n": 1_000, "groups": None, "auc": auc}
    card = {"headline": "a", "figures": [figure]}
    assert headline(card) == "AUC 0.80 [0.70, 0.90] on A (n\u00a01,000)"
    by_name = scorer("hf:google/t5_xxl_true_nli_mixture")
    assert "no figures of ours" in by_name.description
    assert by_name.card is by_name.to_plain()["figure"] is None


@pytest.mark.parametrize("versions", [{STAMP: "1.0, sha256 " + "cd" * 32}, {"rarrweb": "0.1.0"}])
def test_a_run_of_other_weights_does_not_borrow_the_figure(versions: dict[str, str]) -> None:
    of_run = known(run_scorer({"entailment": "compact"}, versions))
    assert (of_run.description, of_run.is_measured) == (OTHER, False)
    assert of_run.to_plain()["figure"] is None


def test_a_figure_holds_for_its_parser_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "is_measured", lambda: False)
    stamp = shipped_stamp()
    assert stamp == f"{card_stamp()}, parser {parsing.name()}"
    assert scorer("compact").description == OTHER
    monkeypatch.undo()
    assert not known(run_scorer({"entailment": "compact"}, {STAMP: stamp})).is_measured


def test_a_manifest_holds_the_figure_in_numbers() -> None:
    card = shipped_card()
    auc = headline_figure(card)["auc"]
    counts = {"dataset": "attributionbench_dev", "n": 1197, "groups": 1091}
    assert scorer("compact").to_plain() == {
        "model": "compact",
        "measured": headline(card),
        "card": {"version": card["facts"]["version"], "weights_sha256": card["weights"]["sha256"]},
        "figure": {**counts, "auc": auc["value"], "low": auc["low"], "high": auc["high"]},
    }
