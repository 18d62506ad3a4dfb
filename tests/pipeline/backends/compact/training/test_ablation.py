"""Each variant of the training leaves one loss out, and all are measured alike."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from pipeline.backends.compact.reader.network import ReaderNetwork
from pipeline.backends.compact.training import ablation
from pipeline.backends.compact.training.losses import Weights
from pipeline.backends.model_cards import Ablations, Column, Interval, Variant


def test_a_variant_leaves_out_what_its_name_says() -> None:
    whole = asdict(Weights())
    left_out = [
        {name for name, weight in asdict(weights).items() if weight != whole[name]}
        for weights in ablation.VARIANTS.values()
    ]
    assert left_out == [
        set(), {"nli"}, {"rank"}, {"doubt", "some_doubt"}, {"point"}, {"relevance"},
    ]  # fmt: skip
    for weights in ablation.VARIANTS.values():
        assert all(weight in (0, whole[name]) for name, weight in asdict(weights).items())


def test_measured_once_each_and_the_card_takes_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[tuple[Weights, int | None]] = []

    def train(*, out: Path, weights: Weights, steps: int | None, **_: Any) -> None:
        trained.append((weights, steps))

    def scores(*_: Any, **__: Any) -> tuple[list[int], list[float]]:
        return [0, 1] * 20, [0.1, 0.9] * 19 + [0.9, 0.1]

    monkeypatch.setattr(ablation, "train", train)
    monkeypatch.setattr(ablation, "load_file", lambda path: ReaderNetwork().state_dict())
    monkeypatch.setattr(ablation, "dev_scores", scores)
    monkeypatch.setattr(ablation, "swap_outcomes", lambda *_, **__: ([True] * 9, [False, True]))
    monkeypatch.setattr(Tokenizer, "from_file", lambda path: Tokenizer.from_str(_EMPTY))
    command = ["ablating", str(tmp_path), "--out", str(tmp_path), "--start", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", [*command, "--steps", "7"])
    ablation.main()
    assert trained == [(weights, 7) for weights in ablation.VARIANTS.values()]
    ablation.main()
    assert len(trained) == len(ablation.VARIANTS), "what is measured is not trained again"
    told = json.loads((tmp_path / "ablations.json").read_text())
    made = Ablations(
        title=told["title"],
        what=told["what"],
        columns=tuple(Column(**each) for each in told["columns"]),
        rows=tuple(
            Variant(
                name=row["name"],
                cells=tuple(
                    Interval(value=value, low=low, high=high) for value, low, high in row["cells"]
                ),
            )
            for row in told["rows"]
        ),
    )
    assert [row.name for row in made.rows] == list(ablation.VARIANTS)
    whole = made.rows[0].cells[0]
    assert whole is not None
    assert 0.9 < whole.value < 1
    assert [each.n for each in made.columns] == [40, 40, 40, 40, 9, 2]


_EMPTY = Tokenizer.from_str(
    '{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], '
    '"normalizer": null, "pre_tokenizer": null, "post_processor": null, "decoder": null, '
    '"model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}}'
).to_str()
