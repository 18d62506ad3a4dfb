"""The shipped model card: of the shipped weights, with figures that can be true."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from hashlib import sha256
from typing import Any

import pytest

from pipeline.backends.compact.reader import weights
from pipeline.backends.model_cards import headline_figure, in_digits, shipped_card, shipped_stamp


def figures_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """All intervals of a card."""
    if isinstance(value, dict) and value.keys() == {"value", "low", "high"}:
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from figures_in(each)


def test_the_card_is_of_the_shipped_weights() -> None:
    card = shipped_card()
    about = card["weights"]
    state = weights.load(weights.WEIGHTS)
    assert about == {
        "file": weights.WEIGHTS.name,
        "sha256": sha256(weights.WEIGHTS.read_bytes()).hexdigest(),
        "bytes": weights.WEIGHTS.stat().st_size,
        "parameters": sum(each.numel() for each in state.values()),
    }
    assert shipped_stamp() == f"{card['facts']['version']}, sha256 {about['sha256']}"
    assert re.fullmatch(r"\d+(\.\d+)*", card["facts"]["version"])
    assert date.fromisoformat(card["date"])


def test_its_figures_can_be_true() -> None:
    card = shipped_card()
    for each in figures_in(card):
        assert (each["low"] is None) == (each["high"] is None)
        if each["low"] is not None:
            assert each["low"] <= each["value"] <= each["high"]
    assert headline_figure(card)["auc"]["low"] is not None
    for figure in card["figures"]:
        shares = [figure["auc"]["value"], figure["accuracy"]["value"], figure["ece"]]
        assert all(0 <= share <= 1 for share in [*shares, figure["baseline"]])
        assert 1 <= (figure["groups"] or 1) <= figure["n"]
    for measure in card["measures"]:
        assert measure["unit"] or 0 <= measure["figure"]["value"] <= 1
    for table in card["ablations"]:
        assert {len(row["cells"]) for row in table["rows"]} == {len(table["columns"])}


@pytest.mark.parametrize(
    ("figure", "unit", "text"),
    [
        ({"value": 0.999}, "", "0.99"),
        ({"value": 1.0, "low": None, "high": None}, "", "1.00"),
        ({"value": 0.12345}, "s", "0.123 s"),
        ({"value": 8.04, "low": 7.5, "high": 8.6}, "times", "8.04 [7.5, 8.6] times"),
        ({"value": 1234.5}, "MB", "1,230 MB"),
    ],
)
def test_figures_have_few_digits(figure: Mapping[str, float], unit: str, text: str) -> None:
    assert in_digits(figure, unit=unit) == text
