"""The model card's file: read whole, refused with a sentence where it cannot be true."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.backends import model_cards
from pipeline.backends.compact import constants
from pipeline.backends.compact.reader import weights
from pipeline.backends.model_cards import (
    Interval,
    UnreadableCard,
    card_from_plain,
    in_digits,
    is_of,
    read_card,
    shipped_card,
    shipped_stamp,
    stamp_of,
)
from pipeline.rarr.plain import to_plain
from tests.support.model_cards import make_card


def plain_card(**values: Any) -> dict[str, Any]:
    plain: dict[str, Any] = to_plain(make_card())
    return {**plain, **values}


def test_a_card_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    path.write_text(json.dumps(plain_card()))
    assert read_card(path) == make_card()


def test_no_file_is_no_card(tmp_path: Path) -> None:
    assert read_card(tmp_path / "card.json") is None


def test_half_a_file_is_an_error_with_the_files_name(tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text("{")
    with pytest.raises(UnreadableCard, match=r"card\.json is no JSON"):
        read_card(tmp_path / "card.json")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"headline": "hagrid"}, "headline is 'hagrid'"),
        ({"date": "yesterday"}, "isoformat"),
        ({"weights": {"file": "x", "sha256": "abc", "bytes": 1, "parameters": 1}}, "no SHA-256"),
        (
            {
                "weights": {
                    "file": "x",
                    "sha256": "ab" * 32,
                    "bytes": 1,
                    "parameters": 1,
                    "constants": "abc",
                }
            },
            "no checksum of 16",
        ),
        ({"figures": None}, "figures: Input should be a valid array"),
        ({"novel": 1}, "novel: Unexpected keyword"),
    ],
)
def test_what_cannot_be_true_is_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(UnreadableCard, match=said):
        card_from_plain(plain_card(**values), source="card.json")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"auc": {"value": 0.8, "low": 0.81, "high": 0.9}}, "not in its interval"),
        ({"auc": {"value": 0.8, "low": 0.7}}, "one end only"),
        ({"auc": {"value": 0.8}}, "no 95 % interval"),
        ({"auc": {"value": 1.8, "low": 1.7, "high": 1.9}}, "not from 0 to 1"),
        ({"auc": None}, "auc: Input should be an object"),
        ({"ece": -0.1}, "not from 0 to 1"),
        ({"n": 0}, "0 rows"),
        ({"groups": 2000}, "2000 groups"),
    ],
)
def test_a_figure_that_cannot_be_true_is_refused(values: dict[str, Any], said: str) -> None:
    plain = plain_card()
    plain["figures"][0].update(values)
    with pytest.raises(UnreadableCard, match=said):
        card_from_plain(plain, source="card.json")


def test_an_ablation_has_a_figure_for_each_column() -> None:
    plain = plain_card()
    plain["ablations"][0]["rows"][0]["cells"].pop()
    with pytest.raises(UnreadableCard, match="1 figures for 2 columns"):
        card_from_plain(plain, source="card.json")


@pytest.mark.parametrize(
    ("figure", "unit", "text"),
    [
        (Interval(value=0.8149, low=0.79, high=0.8377), "", "0.81 [0.79, 0.84]"),
        (Interval(value=0.999), "", "0.99"),
        (Interval(value=1.0), "", "1.00"),
        (Interval(value=0.12345), "s", "0.123 s"),
        (Interval(value=8.04, low=7.5, high=8.6), "times", "8.04 [7.5, 8.6] times"),
        (Interval(value=1234.5), "MB", "1,230 MB"),
    ],
)
def test_figures_are_written_in_few_digits(figure: Interval, unit: str, text: str) -> None:
    assert in_digits(figure, unit=unit) == text


@pytest.fixture
def _read_again() -> Any:
    yield
    shipped_card.cache_clear()
    shipped_stamp.cache_clear()


@pytest.mark.usefixtures("_read_again")
def test_the_stamp_is_of_the_installed_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, card = tmp_path / "reader.safetensors", tmp_path / "card.json"
    file.write_bytes(b"weights")
    digest = weights.digest(file)
    about = {**to_plain(make_card().weights), "sha256": digest}
    card.write_text(json.dumps(plain_card(weights=about)))
    monkeypatch.setattr(weights, "WEIGHTS", file)
    monkeypatch.setattr(model_cards, "CARD", card)

    stamps = []
    for text in (card.read_text(), "{", None):
        card.write_text(text) if text else card.unlink()
        shipped_card.cache_clear()
        shipped_stamp.cache_clear()
        stamps.append(shipped_stamp())
    own = f"sha256 {digest}, constants {constants.digest()}"
    assert stamps == [f"1.2, {own}", own, own]
    file.unlink()
    shipped_stamp.cache_clear()
    assert shipped_stamp() == ""
    assert stamp_of(make_card()) == "1.2, sha256 " + "ab" * 32


def test_the_shipped_card_if_there_is_one_is_of_the_shipped_weights() -> None:
    card = shipped_card()
    if card is not None:
        assert is_of(card, shipped_stamp())


def test_the_shipped_card_has_a_calibration_error_for_every_set() -> None:
    card = shipped_card()
    assert card is not None
    assert [figure.title for figure in card.figures if figure.ece is None] == []
