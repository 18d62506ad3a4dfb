"""How well compact entailment tells supported sentences from others, on the dev folder.

    python -m tests.bench.entailment DATA_FOLDER

Prints the area under the ROC curve of each dev file, beside the plain share of the sentence's
content words that the premise holds, and the pairs scored a second.
"""

import argparse
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from pipeline.backends.compact.entailment import CompactEntailment
from pipeline.backends.compact.words import STOPWORDS
from tests.bench.swap_set import read_jsonl

FILES = (
    ("attributionbench_dev", None),
    ("wice_claim_dev", "group"),
    ("wice_claim_fulldoc", None),
    ("citint", None),
    ("qags_cnndm", None),
)
PLAIN_WORD = re.compile(r"\w+")


def area(labels: Sequence[int], scores: Sequence[float]) -> float:
    """Area under the ROC curve; ties count half."""
    truth = np.array(labels) == 1
    ranks = rankdata(scores)
    positive, negative = truth.sum(), (~truth).sum()
    return float((ranks[truth].sum() - positive * (positive + 1) / 2) / (positive * negative))


def plain_share(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """The baseline: content words of the hypothesis found in the premise."""
    scores = []
    for premise, hypothesis in pairs:
        known = {word.lower() for word in PLAIN_WORD.findall(premise)}
        wanted = {w.lower() for w in PLAIN_WORD.findall(hypothesis)} - STOPWORDS
        scores.append(len(wanted & known) / max(1, len(wanted)))
    return scores


def compact(pairs: Sequence[tuple[str, str]]) -> list[float]:
    return [entailed.entailed for entailed in CompactEntailment().score(pairs)]


def figures(
    path: Path, group: str | None, score: Callable[[Sequence[tuple[str, str]]], list[float]]
) -> tuple[float, float, float, int]:
    """(area, accuracy at 0.5, seconds, rows); with `group`, the best row of each group counts."""
    rows = list(read_jsonl(path))
    started = time.perf_counter()
    scores = score([(row["premise"], row["hypothesis"]) for row in rows])
    seconds = time.perf_counter() - started
    labels = [int(row["label"] == 1) for row in rows]
    if group:
        best: dict[str, tuple[float, int]] = {}
        for row, value, label in zip(rows, scores, labels, strict=True):
            if value >= best.get(row[group], (-1.0, 0))[0]:
                best[row[group]] = (value, label)
        scores = [value for value, _ in best.values()]
        labels = [label for _, label in best.values()]
    right = np.mean((np.array(scores) >= 0.5) == (np.array(labels) == 1))
    return area(labels, scores), float(right), seconds, len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="the folder that holds dev/")
    data = parser.parse_args().data
    print(f"{'file':24}{'plain':>8}{'compact':>9}{'right':>8}{'rows':>7}{'pairs/s':>9}")
    for name, group in FILES:
        path = data / "dev" / f"{name}.jsonl"
        plain = figures(path, group, plain_share)[0]
        auc, right, seconds, rows = figures(path, group, compact)
        print(f"{name:24}{plain:8.3f}{auc:9.3f}{right:8.3f}{rows:7}{rows / seconds:9.0f}")


if __name__ == "__main__":
    main()
