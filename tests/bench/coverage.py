"""Whether 95 % intervals of Attr_AIS hold the truth 95 times in 100, and how wide they are.

    python -m tests.bench.coverage FILE… [--labels 20 30 50 100 200] [--passages 2000]
        [--repetitions 2000] [--limit ROWS] [--keep FOLDER]

A line of FILE is a passage: {"label": 0 to 1, "score": 0 to 1}, or, where no score is known,
{"label", "premise", "hypothesis"}, which compact then scores; `--keep` leaves the labels and
scores in a folder, as files that this command reads. A file's rows are the population, so their
mean label is the truth. Each repetition draws the passages of a run from them, with replacement,
and labels some of these; every method sees the same run. For each method the table says how often
its interval held the truth, its mean width in points (hundredths), and how many labels it saves:
the share that is left of those by which Student's t would be as narrow.
"""

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from pipeline.backends.compact.entailment.scorer import CompactEntailment
from pipeline.metrics.inference import Estimate, weighted_mean_estimate
from pipeline.metrics.prediction_powered import PredictionPowered, prediction_powered_mean

Values = NDArray[np.float64]
Ends = tuple[float, float]

RESAMPLES = 1000
HALF_WIDTH = 0.03
BATCH = 64


class Pairs(NamedTuple):
    """The label and the score of each passage."""

    labels: Values
    scores: Values


class Method(NamedTuple):
    title: str
    interval: Callable[["Labelled"], Ends]


class Labelled(NamedTuple):
    """What a method sees: the run's scores, and labels of a part of it."""

    labels: Values
    scores: Values
    weights: Values
    every: Values
    random: np.random.Generator


def ends(found: Estimate | None) -> Ends:
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def by_student(seen: Labelled) -> Ends:
    return ends(weighted_mean_estimate(list(seen.labels), list(seen.weights), lowest=0, highest=1))


def by_bootstrap(seen: Labelled) -> Ends:
    """Percentiles of the mean of labels drawn anew."""
    values, counts = np.unique(seen.labels, return_counts=True)
    n = len(seen.labels)
    drawn = seen.random.multinomial(n, counts / n, size=RESAMPLES) @ values / n
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def powered(seen: Labelled) -> PredictionPowered:
    found = prediction_powered_mean(
        list(seen.labels),
        list(seen.scores),
        list(seen.weights),
        mean_score=float(seen.every.mean()),
        passages=len(seen.every),
        lowest=0,
        highest=1,
    )
    assert found is not None
    return found


def by_powered(seen: Labelled) -> Ends:
    return ends(powered(seen).estimate)


def by_published(seen: Labelled) -> Ends:
    """PPI++ as published, for large samples: the normal distribution, and λ taken as given.

    The labelled passages are the first of the run, and the rest is what has scores only.
    """
    y, f, other = seen.labels, seen.scores, seen.every[len(seen.labels) :]
    n, rest = len(y), len(other)
    spread = seen.every.var()
    own = float(np.cov(y, f, ddof=1)[0, 1]) / spread / (1 + n / rest) if spread else 0.0
    tuning = min(max(own, 0.0), 1.0)
    value = float((y - tuning * f).mean() + tuning * other.mean())
    variance = float((y - tuning * f).var() / n + tuning**2 * other.var() / rest)
    half = float(ndtri(0.975)) * variance**0.5
    return value - half, value + half


METHODS = (
    Method("Student's t", by_student),
    Method("bootstrap percentile", by_bootstrap),
    Method("PPI++ as published", by_published),
    Method("with auto-AIS", by_powered),
)


def coverage(
    pairs: Pairs, *, labels: int, passages: int, repetitions: int, seed: int = 20231
) -> dict[str, tuple[float, float]]:
    """Method to the share of intervals that held the mean label, and their mean width."""
    drawn = np.random.default_rng(seed)
    truth = float(pairs.labels.mean())
    held: dict[str, int] = defaultdict(int)
    width: dict[str, float] = defaultdict(float)
    for _ in range(repetitions):
        run = drawn.integers(0, len(pairs.labels), passages)
        y, f = pairs.labels[run], pairs.scores[run]
        plain = Labelled(y[:labels], f[:labels], np.ones(labels), f, drawn)
        for method in METHODS:
            low, high = method.interval(plain)
            held[method.title] += low <= truth <= high
            width[method.title] += high - low
    return {
        method.title: (held[method.title] / repetitions, width[method.title] / repetitions)
        for method in METHODS
    }


def needed(pairs: Pairs, *, passages: int, seed: int = 20231) -> tuple[int | None, int | None]:
    """Labels for ± 3 points, alone and with scores, of a run that is labelled to a fifth."""
    drawn = np.random.default_rng(seed)
    run = drawn.integers(0, len(pairs.labels), passages)
    y, f = pairs.labels[run], pairs.scores[run]
    n = passages // 5
    found = powered(Labelled(y[:n], f[:n], np.ones(n), f, drawn))
    return found.labels_needed_alone(HALF_WIDTH), found.labels_needed(HALF_WIDTH)


def read(path: Path, *, limit: int | None, keep: Path | None) -> Pairs:
    """The pairs of a file; those without a score are scored."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if limit is not None:
        rows = random.Random(20231).sample(rows, min(limit, len(rows)))
    unscored = [row for row in rows if "score" not in row]
    scorer = CompactEntailment()
    for start in range(0, len(unscored), BATCH):
        batch = unscored[start : start + BATCH]
        found = scorer.score([(row["premise"], row["hypothesis"]) for row in batch])
        for row, each in zip(batch, found, strict=True):
            row["score"] = each.entailed
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps({key: row[key] for key in ("label", "score")}) for row in rows]
        (keep / path.name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Pairs(
        labels=np.array([float(row["label"]) for row in rows]),
        scores=np.array([float(row["score"]) for row in rows]),
    )


def print_table(
    files: Iterable[Path], *, labels: list[int], passages: int, repetitions: int,
    limit: int | None, keep: Path | None,
) -> None:  # fmt: skip
    for path in files:
        pairs = read(path, limit=limit, keep=keep)
        match = float(np.corrcoef(pairs.labels, pairs.scores)[0, 1])
        print(
            f"\n{path.stem}: {len(pairs.labels)} rows, mean label {pairs.labels.mean():.3f}, mean "
            f"score {pairs.scores.mean():.3f}, correlation {match:.2f}; {repetitions} repetitions, "
            f"runs of {passages} passages"
        )
        print(f"{'labels':>6} {'method':34}{'coverage %':>11}{'width':>8}{'saved %':>9}")
        for n in labels:
            found = coverage(pairs, labels=n, passages=passages, repetitions=repetitions)
            base = found[METHODS[0].title][1]
            for title, (share, width) in found.items():
                saved = 100 * (1 - (width / base) ** 2)
                print(f"{n:6} {title:34}{100 * share:11.1f}{100 * width:8.1f}{saved:9.0f}")
        alone, with_scores = needed(pairs, passages=passages)
        most = f"more than {passages}"
        print(f"labels for ± 3 points: {alone} alone, {with_scores or most} with auto-AIS")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--labels", nargs="+", type=int, default=[20, 30, 50, 100, 200])
    parser.add_argument("--passages", type=int, default=2000)
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--limit", type=int, help="read so many rows of each file, at random")
    parser.add_argument("--keep", type=Path, help="a folder for labels and scores")
    given = vars(parser.parse_args())
    print_table(given.pop("files"), **given)


if __name__ == "__main__":
    main()
