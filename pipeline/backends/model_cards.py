"""The model card of the shipped reader: what it was made of, what was measured, where it fails.

`card.json` beside the reader holds it; `research/card.py` writes it,
with docs/model-card.md, from what was measured. Pages and commands read it here.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipeline.backends.compact import constants
from pipeline.backends.compact.reader import weights
from pipeline.rarr.plain import from_plain

CARD = Path(weights.__file__).parent / "card.json"


class UnreadableCard(ValueError):
    """A model card that cannot be right; the message is a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A figure with its 95 % interval, None where none was worked out."""

    value: float
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if (self.low is None) != (self.high is None):
            raise ValueError(f"The interval around {self.value} has one end only.")
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        if not low <= self.value <= high:
            raise ValueError(f"{self.value} is not in its interval from {low} to {high}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """How well entailment tells supported sentences from others on one data set."""

    dataset: str
    """The file's name, such as attributionbench_dev."""
    title: str
    """The same as people write it: AttributionBench dev."""
    what: str
    """What one row is, and how it was scored."""
    n: int
    """Rows that the figures are over; groups, where the best row of each group counts."""
    groups: int | None = None
    """Independent things among the n, where that is fewer: the interval is over these."""
    auc: Interval
    """Area under the ROC curve, 0.0 to 1.0."""
    baseline: float | None = None
    """The same area for a plain baseline: the share of the sentence's content words in the
    evidence.
    """
    accuracy: Interval | None = None
    """Share judged as people did, at the threshold 0.5."""
    ece: float | None = None
    """Expected calibration error, 0.0 to 1.0: how far probabilities are from frequencies."""

    def __post_init__(self) -> None:
        if self.n < 1 or (self.groups is not None and not 1 <= self.groups <= self.n):
            raise ValueError(f"{self.title} has {self.n} rows in {self.groups} groups.")
        for name, value in (
            ("area", self.auc.value),
            ("baseline", self.baseline),
            ("accuracy", None if self.accuracy is None else self.accuracy.value),
            ("calibration error", self.ece),
        ):
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"The {name} on {self.title} is {value}, not from 0 to 1.")
        if self.auc.low is None:
            raise ValueError(f"The area on {self.title} has no 95 % interval.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Any other figure: swaps restored, pairs a second, megabytes."""

    what: str
    dataset: str = ""
    figure: Interval
    unit: str = ""
    """"" for a share from 0 to 1."""
    n: int | None = None
    baseline: str = ""
    """What it is to be held against, in words: "the rules before: 0.50"."""

    def __post_init__(self) -> None:
        if not self.unit and not 0 <= self.figure.value <= 1:
            raise ValueError(f"{self.what}: {self.figure.value} has no unit and is no share.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    title: str
    n: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One row of the ablations: what was added, left out or used alone."""

    name: str
    cells: tuple[Interval | None, ...]
    """One for each column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablations:
    """One table of them."""

    title: str
    what: str
    """What the cells are."""
    columns: tuple[Column, ...]
    rows: tuple[Variant, ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(
                    f"The ablation {row.name!r} has {len(row.cells)} figures for "
                    f"{len(self.columns)} columns."
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """Something that the model was trained on."""

    name: str
    file: str
    """Its name in the training folder."""
    rows: int
    what: str
    licence: str
    """As its authors state it."""
    is_share_alike: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The weights that training began with."""

    name: str
    licence: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A part of the recipe."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What people write about the model; figures come from measuring."""

    name: str
    """What the settings call it: compact."""
    title: str
    version: str
    summary: str
    licence: str
    """Of the weights."""
    licence_note: str
    meant_for: tuple[str, ...]
    not_meant_for: tuple[str, ...]
    start: Start
    data: tuple[DataSet, ...]
    data_note: str
    recipe: tuple[Step, ...]
    calibration: str
    failures: tuple[str, ...]

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\d+(\.\d+)*", self.version):
            raise ValueError(f"{self.version!r} is no version: write one such as 1.0.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    file: str
    sha256: str
    """Of the whole file, in hexadecimal."""
    bytes: int
    parameters: int
    constants: str = ""
    """The checksum of the constants that were measured with them (`compact.constants`); "" on a
    card from before that was kept."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise ValueError(f"{self.sha256!r} is no SHA-256.")
        if not re.fullmatch(r"([0-9a-f]{16})?", self.constants):
            raise ValueError(f"{self.constants!r} is no checksum of 16 digits.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    facts: Facts
    date: str
    """The day of the measurements, YYYY-MM-DD."""
    weights: Weights
    headline: str
    """The dataset of the figure that stands beside every auto-AIS figure."""
    figures: tuple[Figure, ...]
    measures: tuple[Measure, ...] = ()
    ablations: tuple[Ablations, ...] = ()

    def __post_init__(self) -> None:
        date.fromisoformat(self.date)
        known = [figure.dataset for figure in self.figures]
        if self.headline not in known:
            raise ValueError(
                f"The headline is {self.headline!r}, and the figures are of {', '.join(known)}."
            )

    @property
    def figure(self) -> Figure:
        """The headline's."""
        return next(each for each in self.figures if each.dataset == self.headline)


def card_from_plain(plain: Mapping[str, Any], *, source: str) -> ModelCard:
    """A card from JSON values; raises `UnreadableCard`, which names `source`."""
    try:
        return from_plain(ModelCard, plain)
    except ValueError as error:
        raise UnreadableCard(f"The model card {source} cannot be read: {error}") from None


def read_card(path: Path) -> ModelCard | None:
    """The card in a file; None where there is none. Raises `UnreadableCard`."""
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise UnreadableCard(f"The model card {path.name} is no JSON: {error}") from None
    return card_from_plain(plain, source=path.name)


@lru_cache(maxsize=1)
def shipped_card() -> ModelCard | None:
    """The card of the weights in the package, read once a process; None where there is none."""
    return read_card(CARD)


@lru_cache(maxsize=1)
def shipped_stamp() -> str:
    """What answers here: "VERSION, sha256 HEX, constants HEX"; "" where there are no weights.

    A run freezes it, so that each of its figures can be traced to the weights and the fitted
    constants that made it.
    """
    if not weights.WEIGHTS.exists():
        return ""
    try:
        card = shipped_card()
    except UnreadableCard:
        card = None  # the weights answer all the same, and `doctor` tells what is wrong
    version = f"{card.facts.version}, " if card else ""
    return f"{version}sha256 {weights.digest(weights.WEIGHTS)}{_CONSTANTS}{constants.digest()}"


_CONSTANTS = ", constants "


def stamp_of(card: ModelCard) -> str:
    """The stamp of what a card is about."""
    measured = card.weights.constants
    return f"{card.facts.version}, sha256 {card.weights.sha256}" + (
        f"{_CONSTANTS}{measured}" if measured else ""
    )


def is_of(card: ModelCard, stamp: str) -> bool:
    """Whether the card's figures are of the weights and constants that `stamp` names.

    Only the weights count for a card that names no constants.
    """
    if not card.weights.constants:
        stamp = stamp.partition(_CONSTANTS)[0]
    return stamp == stamp_of(card)


def in_digits(figure: Interval, *, unit: str = "") -> str:
    """A figure as people read it: two digits for a share, three places for another number.

    >>> in_digits(Interval(value=0.8149, low=0.79, high=0.8377))
    '0.81 [0.79, 0.84]'
    >>> in_digits(Interval(value=1234.5), unit="pairs a second")
    '1,230 pairs a second'
    """
    write = _number if unit else _share
    text = write(figure.value)
    if figure.low is not None and figure.high is not None:
        text += f" [{write(figure.low)}, {write(figure.high)}]"
    return f"{text} {unit}".strip()


def _share(value: float) -> str:
    # Never rounded up to 1, as on the pages: "1.00" says that all of it is.
    return "0.99" if 0.99 < value < 1 else f"{value:.2f}"


def _number(value: float) -> str:
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:g}"
