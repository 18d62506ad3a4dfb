"""A model card with invented figures, and a process that ships it."""

from typing import Any

import pytest

from pipeline.backends import model_cards
from pipeline.backends.model_cards import (
    Ablations,
    Column,
    DataSet,
    Facts,
    Figure,
    Interval,
    Measure,
    ModelCard,
    Start,
    Step,
    Variant,
    Weights,
)


def make_card(**values: Any) -> ModelCard:
    return ModelCard(
        **{
            "facts": Facts(
                name="compact",
                title="The test reader",
                version="1.2",
                summary="It reads.",
                licence="Apache-2.0",
                licence_note="Some sets are share-alike.",
                meant_for=("Snippets and sentences.",),
                not_meant_for=("Sums.",),
                start=Start(name="a/start", licence="MIT", sha256="0" * 64),
                data=(
                    DataSet(
                        name="Rivers", file="rivers", rows=12_345, what="claims", licence="MIT"
                    ),
                    DataSet(
                        name="Lakes",
                        file="lakes",
                        rows=7,
                        what="pairs",
                        licence="CC BY-SA 4.0",
                        is_share_alike=True,
                    ),
                ),
                data_note="Nothing of the dev sets.",
                recipe=(Step(title="Trunk", text="Six layers."),),
                calibration="Fitted on the dev sets.",
                failures=("It cannot do sums.", "Lists | of names."),
            ),
            "date": "2026-11-21",
            "weights": Weights(
                file="reader.safetensors", sha256="ab" * 32, bytes=24_000_000, parameters=22_000_000
            ),
            "headline": "bench_dev",
            "figures": (
                Figure(
                    dataset="bench_dev",
                    title="Bench dev",
                    what="a sentence against a snippet",
                    n=1197,
                    auc=Interval(value=0.812, low=0.781, high=0.843),
                    baseline=0.71,
                    accuracy=Interval(value=0.74, low=0.71, high=0.77),
                    ece=0.043,
                ),
                Figure(
                    dataset="page_dev",
                    title="Pages dev",
                    what="a claim against a page",
                    n=1023,
                    groups=349,
                    auc=Interval(value=0.85, low=0.8, high=0.9),
                ),
            ),
            "measures": (
                Measure(
                    what="near swaps restored",
                    dataset="dev",
                    figure=Interval(value=0.41, low=0.3, high=0.5),
                    n=305,
                    baseline="the rules before: 0.00",
                ),
                Measure(what="speed", figure=Interval(value=412.3), unit="pairs a second"),
            ),
            "ablations": (
                Ablations(
                    title="What the score knows",
                    what="AUC on dev.",
                    columns=(Column(title="Bench dev", n=1197), Column(title="Pages dev")),
                    rows=(
                        Variant(name="all", cells=(Interval(value=0.81), Interval(value=0.85))),
                        Variant(name="without flags", cells=(Interval(value=0.78), None)),
                    ),
                ),
            ),
            **values,
        }
    )


def ship(
    monkeypatch: pytest.MonkeyPatch, card: ModelCard | None, *, stamp: str | None = None
) -> None:
    """Let the process have this card, and the weights that the card is about unless told."""
    own = model_cards.stamp_of(card) if card else ""
    monkeypatch.setattr(model_cards, "shipped_card", lambda: card)
    monkeypatch.setattr(model_cards, "shipped_stamp", lambda: own if stamp is None else stamp)
