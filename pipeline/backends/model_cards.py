"""The model card of the shipped reader, written by `research/card.py`."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipeline.backends.compact.reader import weights
from pipeline.backends.compact.text import parsing

Card = Mapping[str, Any]


@lru_cache(maxsize=1)
def shipped_card() -> Card:
    path = Path(weights.__file__).with_name("card.json")
    card: Card = json.loads(path.read_text(encoding="utf-8"))
    return card


def headline_figure(card: Card) -> Mapping[str, Any]:
    """Return the figure beside every auto-AIS figure."""
    figure: Mapping[str, Any] = next(
        figure for figure in card["figures"] if figure["dataset"] == card["headline"]
    )
    return figure


def card_stamp() -> str:
    """Return "VERSION, sha256 HEX" of a card."""
    card = shipped_card()
    return f"{card['facts']['version']}, sha256 {card['weights']['sha256']}"


def shipped_stamp() -> str:
    """Return the shipped scorer's stamp, with a parser that is not the card's."""
    return card_stamp() + ("" if parsing.is_measured() else f", parser {parsing.name()}")


def in_digits(figure: Mapping[str, Any], *, unit: str = "") -> str:
    """Format a share with two digits, a number with three decimals.

    >>> in_digits({"value": 0.8149, "low": 0.79, "high": 0.8377})
    '0.81 [0.79, 0.84]'
    >>> in_digits({"value": 1234.5}, unit="pairs a second")
    '1,230 pairs a second'
    """
    write = _number if unit else _share
    text = write(figure["value"])
    if figure.get("low") is not None:
        text += f" [{write(figure['low'])}, {write(figure['high'])}]"
    return f"{text} {unit}".strip()


def _share(value: float) -> str:
    # Never rounded up to 1, which means all.
    return "0.99" if 0.99 < value < 1 else f"{value:.2f}"


def _number(value: float) -> str:
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:g}"
