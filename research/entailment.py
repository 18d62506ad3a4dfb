"""How well compact entailment tells supported sentences from others, on the dev folder.

    python -m research.entailment DATA [--weights FILE] [--cache FOLDER]
        [--json FIGURES.json] [--ablations ABLATIONS.json]

Prints for each dev file the area under the ROC curve of coverage alone, of each family of
features and of all together, with 95 % intervals by bootstrap over claims; then accuracy and
macro-F1 at 0.5 and the expected calibration error. "left out" means that the mixing weights and
the bias came from the other dev files; "shipped" is what `CompactEntailment` says. Reading the
pairs takes some ten minutes on two cores; entailment_fit.py leaves what it read in the same
cache.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.backends.compact.entailment import word_features
from pipeline.backends.compact.entailment_scorer import (
    CHECKED_FROM,
    COEFFICIENTS,
    FEATURES,
    WORD_FOR_WORD,
)
from pipeline.backends.compact.reader import weights as reader_weights
from research.entailment_fit import FAMILIES, Parts, learnt, mixed
from research.logistic import (
    Values,
    area,
    calibration_error,
    logits_of,
    macro_f1,
)
from research.mpnet import reader_of
from research.tables import BASELINES, DEV, TRAIN, Table, tables

RESAMPLES = 1000
VERDICT = ("entailed", "over_neutral", "over_contradiction")
VARIANTS: dict[str, dict[str, tuple[str, ...]]] = {
    "coverage": {"words": ("whole", "near", "two", "one")},
    "coverage, order": {"words": ("whole", "near", "two", "one", "pairs", "pairs_one", "order")},
    "words": {"words": word_features.FEATURES},
    "verdict": {"reader": VERDICT},
    "doubts": {"reader": ("doubt", "worst_doubt", "value_doubt")},
    "reader": {"reader": FAMILIES["reader"]},
    "words, verdict": {"words": word_features.FEATURES, "reader": VERDICT},
    "all": FAMILIES,
}
"""What each column of the ablation knows; those of two families are mixed."""
TITLES = {
    "attributionbench_dev": ("AttributionBench dev", "a sentence of a model and what it cites"),
    "wice_claim_dev": ("WiCE dev, cited passages", "a claim; the best of its passages counts"),
    "wice_claim_fulldoc": ("WiCE dev, whole cited pages", "a claim and the page that it cites"),
    "citint": ("CitInt", "a sentence of a biomedical article and what it cites"),
    "qags_cnndm": ("QAGS CNN/DM", "a sentence of a summary and its article"),
}
LEFT_OUT = "The mixing weights and the bias come from the other dev files."
SAME_CLAIMS = {"wice_claim_dev", "wice_claim_fulldoc"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def bootstrapped(
    figure: Callable[[Values, Values], float],
    labels: Values,
    scores: Values,
    groups: Sequence[str],
    *,
    seed: int = 20231,
) -> Interval:
    """The figure, and its 95 % interval when whole groups are drawn again with replacement."""
    _, owner = np.unique(np.asarray(groups), return_inverse=True)
    order = np.argsort(owner, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(owner))[:-1])
    random = np.random.default_rng(seed)
    found = []
    for _ in range(RESAMPLES):
        drawn = np.concatenate([rows[i] for i in random.integers(0, len(rows), len(rows))])
        found.append(figure(labels[drawn], scores[drawn]))
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return Interval(value=figure(labels, scores), low=float(low), high=float(high))


def probabilities(table: Table, weights: Mapping[str, float]) -> Values:
    """What `CompactEntailment` would say of each row with these weights."""
    found = 1 / (1 + np.exp(-logits_of(weights, table.features, FEATURES)))
    found = np.where((table.has_other_value == 1) & (found >= CHECKED_FROM), found / 2, found)
    return np.where(table.is_word_for_word == 1, WORD_FOR_WORD.entailed, found)


def others(dev: Sequence[Table], left_out: Table) -> list[Table]:
    """The dev files that share no claim with one of them."""
    names = {left_out.file.name}
    if names & SAME_CLAIMS:
        names |= SAME_CLAIMS
    return [table for table in dev if table.file.name not in names]


def scores_of(table: Table, dev: Sequence[Table], parts: Mapping[str, Parts]) -> dict[str, Values]:
    """Every column of the table of figures, for each row."""
    found = {name: table.baselines[:, i] for i, name in enumerate(BASELINES)}
    rest = others(dev, table)
    for name, each in parts.items():
        found[name] = probabilities(table, mixed(each, rest))
    found["shipped"] = probabilities(table, COEFFICIENTS["entailed"])
    return found


def figures(table: Table, scores: Mapping[str, Values]) -> dict[str, Any]:
    """AUC of each score, and of the last two what they are worth as probabilities."""
    found: dict[str, Any] = {"rows": len(table.labels)}
    for name, score in scores.items():
        kept = table.counted(score)
        labels, groups = table.labels[kept], table.groups[kept]
        if name == "plain":
            found |= {"counted": len(kept), "groups": len(set(groups))}
            found |= {"supported": round(float(labels.mean()), 3)}
        found[f"auc {name}"] = bootstrapped(area, labels, score[kept], groups)
        if name in ("all", "shipped"):
            found[f"accuracy {name}"] = bootstrapped(
                lambda y, p: float(((p >= 0.5) == (y == 1)).mean()), labels, score[kept], groups
            )
            found[f"macro-F1 {name}"] = bootstrapped(
                lambda y, p: macro_f1(y, p >= 0.5), labels, score[kept], groups
            )
            found[f"ECE {name}"] = calibration_error(labels, score[kept])
    raw = 1 / (1 + np.exp(-table.column("entailed")))
    kept = table.counted(raw)
    found["ECE reader alone"] = calibration_error(table.labels[kept], raw[kept])
    return found


def by_source(dev: Sequence[Table], parts: Mapping[str, Parts]) -> dict[str, dict[str, Any]]:
    """Figures of each file, and of each source of a collection."""
    found = {}
    for table in dev:
        scores = scores_of(table, dev, parts)
        found[table.file.name] = figures(table, scores)
        sources = sorted(set(table.sources))
        for source in sources if len(sources) > 1 else []:
            inside = table.sources == source
            found[f"{table.file.name}: {source}"] = figures(
                table.part(inside), {name: score[inside] for name, score in scores.items()}
            )
    return found


def printed(found: Mapping[str, Mapping[str, Any]]) -> None:
    columns = [*BASELINES, *VARIANTS, "shipped"]
    print("AUC | " + " | ".join(columns))
    for name, each in found.items():
        row = " | ".join(f"{each[f'auc {column}'].value:.3f}" for column in columns)
        print(f"{name} (n {each['counted']}) | {row}")
    for name, each in found.items():
        print(f"\n{name}: {each['counted']} of {each['rows']} rows in {each['groups']} groups")
        for key, value in each.items():
            if key.startswith(("auc idf", "auc words", "auc all", "acc", "macro", "ECE")):
                print(f"  {key:22} {value if isinstance(value, Interval) else f'{value:.3f}'}")


def plain(interval: Interval) -> list[float]:
    return [round(value, 4) for value in (interval.value, interval.low, interval.high)]


def card_figures(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What research/card.py takes as --figures; its `measures` come from other benches."""
    figures = []
    for name, each in found.items():
        file, _, source = name.partition(": ")
        title, what = TITLES[file]
        figures.append(
            {
                "dataset": name,
                "title": f"{title}, {source}" if source else title,
                "what": f"{what.capitalize()}. {LEFT_OUT}",
                "n": each["counted"],
                "groups": each["groups"],
                "auc": plain(each["auc all"]),
                "baseline": round(each["auc plain"].value, 4),
                "accuracy": plain(each["accuracy all"]),
                "ece": round(each["ECE all"], 4),
            }
        )
    return {"headline": DEV[0].name, "figures": figures, "measures": []}


def card_ablations(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What research/card.py takes as --ablations: a row for each family of features."""
    names = [name for name in found if ": " not in name]
    return {
        "title": "What the score knows",
        "what": f"Area under the ROC curve, 95 % interval over claims. {LEFT_OUT}",
        "columns": [{"title": TITLES[name][0], "n": found[name]["counted"]} for name in names],
        "rows": [
            {"name": row, "cells": [plain(found[name][f"auc {row}"]) for name in names]}
            for row in (*BASELINES, *VARIANTS)
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="the folder that holds train/ and dev/")
    parser.add_argument("--weights", type=Path, default=reader_weights.WEIGHTS)
    parser.add_argument("--tokenizer", type=Path, default=reader_weights.TOKENIZER)
    parser.add_argument("--cache", type=Path, default=Path("var/entailment"))
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--json", type=Path, help="where to write the model card's figures")
    parser.add_argument("--ablations", type=Path, help="where to write its table of ablations")
    given = parser.parse_args()
    reader = reader_of(
        given.weights, threads=given.threads, tokenizer=given.tokenizer
    )
    files = tables(
        given.data, [*DEV, *TRAIN], weights=given.weights, reader=reader, cache=given.cache
    )
    dev, train = files[: len(DEV)], files[len(DEV) :]
    found = by_source(dev, {name: learnt(train, each) for name, each in VARIANTS.items()})
    printed(found)
    if given.json:
        given.json.write_text(json.dumps(card_figures(found), indent=1) + "\n", encoding="utf-8")
    if given.ablations:
        given.ablations.write_text(
            json.dumps(card_ablations(found), indent=1) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
