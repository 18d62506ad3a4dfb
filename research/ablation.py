"""What each part of the training does: the same short training with one loss left out.

    python -m research.ablation DATA --out FOLDER [--steps N]

Every variant starts from MiniLM with the same seed, data and number of steps; its figures are
the reader's alone, in single precision, before any mixing with counted words. FOLDER keeps each
variant's training, so a stopped command goes on; `ablations.json` is what research/card.py takes.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from pipeline.backends.compact.reader.network import ReaderNetwork
from research.evaluate import FILES, area, dev_scores, swap_outcomes
from research.losses import Weights
from research.start import start_folder, tokenizer_of
from research.train import train

VARIANTS: Mapping[str, Weights] = {
    "every part": Weights(),
    "without the three classes": Weights(nli=0),
    "without ranking the sound sentence first": Weights(rank=0),
    "without doubted words": Weights(doubt=0, some_doubt=0),
    "without the pointer": Weights(point=0),
    "without relevance": Weights(relevance=0),
}
TITLES = {
    "attributionbench_dev": "AttributionBench dev",
    "wice_claim_dev": "WiCE dev, cited passages",
    "qags_cnndm": "QAGS CNN/DM",
    "citint": "CitInt",
}
MOST = 1200
"""Rows of a dev file: all of AttributionBench, WiCE and QAGS, a part of CITINT."""
RESAMPLES = 500


def measure(network: ReaderNetwork, tokenizer: Tokenizer, data: Path) -> list[dict[str, Any]]:
    """A cell `{"title", "n", "cell": [value, low, high]}` for each dev file, and for the swaps."""
    rng = np.random.default_rng(1)
    cells = []
    for name in FILES:
        labels, scores = dev_scores(network, tokenizer, data, name, most=MOST)
        again = [rng.integers(0, len(labels), len(labels)) for _ in range(RESAMPLES)]
        drawn = [
            area([labels[i] for i in rows], [scores[i] for i in rows])
            for rows in again
            if 0 < sum(labels[i] for i in rows) < len(rows)
        ]
        cells.append(_cell(TITLES[name], len(labels), area(labels, scores), drawn))
    titles = ("near swaps ranked", "hidden values found")
    for title, outcomes in zip(
        titles, swap_outcomes(network, tokenizer, data, most=MOST), strict=True
    ):
        hits = np.array(outcomes, dtype=float)
        drawn = list(rng.choice(hits, (RESAMPLES, len(hits))).mean(axis=1))
        cells.append(_cell(title, len(hits), float(hits.mean()), drawn))
    return cells


def _cell(title: str, n: int, value: float, drawn: Sequence[float]) -> dict[str, Any]:
    low, high = np.quantile(drawn, (0.025, 0.975))
    return {"title": title, "n": n, "cell": [round(float(x), 4) for x in (value, low, high)]}


def table(found: Mapping[str, Sequence[Mapping[str, Any]]], steps: int) -> dict[str, Any]:
    """The variants as one of the model card's tables."""
    (columns, *_) = found.values()
    return {
        "title": "What the training asks for",
        "what": f"The reader alone after {steps} steps from MiniLM, each time with one loss left "
        "out: area under the ROC curve of its verdict, and shares of swaps; 95 % interval.",
        "columns": [{"title": each["title"], "n": each["n"]} for each in columns],
        "rows": [
            {"name": name, "cells": [each["cell"] for each in cells]}
            for name, cells in found.items()
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="the folder that holds train/ and dev/")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="MiniLM's folder")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    folder = given.start or start_folder()
    tokenizer = tokenizer_of(folder)
    found: dict[str, list[dict[str, Any]]] = {}
    for name, weights in VARIANTS.items():
        out = given.out / name.replace(" ", "-")
        out.mkdir(parents=True, exist_ok=True)
        measured = out / f"after-{given.steps}.json"
        if not measured.exists():
            train(
                data=given.data, out=out, folder=folder, seconds=0, tokens=5000,
                look_every=float("inf"), seed=1, weights=weights, steps=given.steps,
            )  # fmt: skip
            network = ReaderNetwork()
            network.load_state_dict(load_file(out / "latest.safetensors"))
            measured.write_text(json.dumps(measure(network, tokenizer, given.data)))
        found[name] = json.loads(measured.read_text())
        print(name, json.dumps({each["title"]: each["cell"] for each in found[name]}), flush=True)
    path = given.out / "ablations.json"
    path.write_text(json.dumps(table(found, given.steps), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
