"""The command that writes the model card: whole or not at all, both files in step."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from pipeline.backends.compact import constants
from pipeline.backends.compact.reader import weights
from pipeline.backends.compact.reader.network import ReaderNetwork, Shape
from pipeline.backends.compact.revision.thresholds import THRESHOLD
from pipeline.backends.compact.training.card import CARD, FACTS, TEXT, card_text, main, out_of_step
from pipeline.backends.compact.training.entailment_fit import BY_HAND, REFUTED_BY_HAND
from pipeline.backends.compact.training.sources import SOURCES
from pipeline.backends.model_cards import Facts, Interval, read_card
from pipeline.rarr.plain import from_plain, to_plain
from tests.support.model_cards import make_card

FIGURES: dict[str, Any] = {
    "headline": "bench_dev",
    "figures": [
        {
            "dataset": "bench_dev",
            "title": "Bench dev",
            "what": "a sentence",
            "n": 20,
            "auc": [0.8, 0.7, 0.9],
            "accuracy": {"value": 0.75, "low": 0.7, "high": 0.8},
        }
    ],
    "measures": [{"what": "speed", "figure": 300, "unit": "pairs a second"}],
}
ABLATIONS = {
    "title": "What the score knows",
    "what": "AUC",
    "columns": [{"title": "Bench dev", "n": 20}],
    "rows": [{"name": "all", "cells": [[0.8, 0.7, 0.9]]}, {"name": "none", "cells": [None]}],
}


class Folder:
    """Where a card is made, with tiny weights and the facts of the test card."""

    def __init__(self, path: Path) -> None:
        self.path = path
        shape = Shape(vocabulary=9, positions=8, width=12, layers=1, heads=2, inner=8, pointer=4)
        torch.manual_seed(1)
        network = ReaderNetwork(shape)
        self.parameters = sum(each.numel() for each in network.parameters())
        weights.save(network.state_dict(), path / "reader.safetensors", shape=shape)
        self.write("facts.json", to_plain(make_card().facts))
        self.write("figures.json", FIGURES)
        self.write("ablations.json", ABLATIONS)

    def write(self, name: str, plain: Any) -> None:
        (self.path / name).write_text(json.dumps(plain))

    def run(self, *more: str) -> int:
        files = {
            "facts": "facts.json",
            "weights": "reader.safetensors",
            "card": "card.json",
            "text": "model-card.md",
        }
        given = [part for key, name in files.items() for part in (f"--{key}", self.path / name)]
        return main([*map(str, given), *more])

    def fill(self) -> int:
        figures, ablations = self.path / "figures.json", self.path / "ablations.json"
        return self.run(
            "--figures", str(figures), "--ablations", str(ablations), "--date", "2026-11-21"
        )


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_the_card_holds_facts_figures_and_weights(folder: Folder) -> None:
    assert folder.fill() == 0
    card = read_card(folder.path / "card.json")
    assert card is not None
    assert card.facts == make_card().facts
    assert card.figure.auc == Interval(value=0.8, low=0.7, high=0.9)
    assert card.measures[0].figure == Interval(value=300.0)
    (table,) = card.ablations
    assert table.rows[1].cells == (None,)
    file = folder.path / "reader.safetensors"
    assert card.weights.sha256 == weights.digest(file)
    assert card.weights.constants == constants.digest()
    assert (card.weights.bytes, card.weights.parameters) == (
        file.stat().st_size,
        folder.parameters,
    )


def test_the_page_is_written_with_the_card(folder: Folder) -> None:
    assert folder.fill() == 0
    text = (folder.path / "model-card.md").read_text()
    for line in (
        "| **Bench dev**: a sentence | 20 | 0.80 [0.70, 0.90] | – | 0.75 [0.70, 0.80] | – |",
        "| speed | – | 300 pairs a second | – | – |",
        "| Lakes | 7 | pairs | CC BY-SA 4.0 (share-alike) |",
        "### What the score knows",
        "| Variant | Bench dev (n 20) |",
        "| none | – |",
        "- It cannot do sums.",
    ):
        assert f"{line}\n" in text


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    figure = replace(make_card().figure, what="premise | hypothesis")
    assert "premise \\| hypothesis" in card_text(make_card(figures=(figure,)))


@pytest.mark.parametrize(
    ("name", "plain", "said"),
    [
        ("figures.json", {**FIGURES, "headline": "hagrid"}, "headline is 'hagrid'"),
        ("figures.json", {"headline": "x"}, "headline is 'x'"),
        (
            "figures.json",
            {**FIGURES, "figures": [{**FIGURES["figures"][0], "auc": 0.8}]},
            "no 95 % interval",
        ),
        ("facts.json", {"name": "compact"}, "ModelCard.facts.title: Field required"),
        ("ablations.json", {**ABLATIONS, "columns": []}, "1 figures for 0 columns"),
    ],
)
def test_what_does_not_fit_writes_nothing(
    folder: Folder, capsys: pytest.CaptureFixture[str], name: str, plain: Any, said: str
) -> None:
    folder.write(name, plain)
    assert folder.fill() == 2
    assert said in capsys.readouterr().err
    assert not (folder.path / "card.json").exists()
    assert not (folder.path / "model-card.md").exists()


def test_a_missing_file_is_said_in_a_sentence(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder.path / "figures.json").unlink()
    assert folder.fill() == 2
    assert "figures.json" in capsys.readouterr().err


def test_what_was_just_written_is_in_step(folder: Folder) -> None:
    folder.fill()
    assert folder.run("--check") == 0


@pytest.mark.parametrize("name", ["model-card.md", "reader.safetensors", "facts.json", "card.json"])
def test_a_file_that_changed_since_is_named(
    folder: Folder, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    folder.fill()
    path = folder.path / name
    if name == "card.json":
        path.unlink()
    elif name == "facts.json":
        folder.write(name, {**to_plain(make_card().facts), "version": "9.0"})
    else:
        path.write_bytes(path.read_bytes() + b" ")
    assert folder.run("--check") == 2
    assert name in capsys.readouterr().err


def test_constants_that_were_fitted_again_are_said(
    folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.fill()
    monkeypatch.setitem(THRESHOLD, "number", 0.99)
    assert folder.run("--check") == 2
    assert "other fitted constants" in capsys.readouterr().err


def test_the_committed_facts_can_be_read() -> None:
    facts = from_plain(Facts, json.loads(FACTS.read_text()))
    assert facts.name == "compact"


def test_the_committed_facts_name_every_set_that_is_trained_on() -> None:
    facts = from_plain(Facts, json.loads(FACTS.read_text()))
    assert {source.name for source in SOURCES} <= {data.file for data in facts.data}


def test_the_committed_facts_name_every_weight_that_is_set_by_hand() -> None:
    facts = from_plain(Facts, json.loads(FACTS.read_text()))
    recipe = " ".join(step.text for step in facts.recipe)
    for name, weight in [*BY_HAND.items(), *REFUTED_BY_HAND.items()]:
        assert name in recipe
        assert f"{weight}".replace("-", "−") in recipe


def test_the_committed_card_is_in_step() -> None:
    if CARD.exists():
        assert out_of_step(CARD, TEXT, facts=FACTS, weights_path=weights.WEIGHTS) == ""
