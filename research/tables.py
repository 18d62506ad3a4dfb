"""Labelled pairs with their features, as `combining` fits on them and the bench measures them.

What the reader makes of thousands of pairs takes minutes, so that a table is kept in a file and
made anew only for other weights, other rows or other features.
"""

import hashlib
import json
import random
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.backends.compact.entailment import reader_features
from pipeline.backends.compact.entailment.word_features import idf
from pipeline.backends.compact.entailment_scorer import (
    CHECKED_FROM,
    FEATURES,
    features_of,
    is_word_for_word,
    other_value,
    weighed,
)
from pipeline.backends.compact.entailment.word_features import FEATURES as WORDS
from pipeline.backends.compact.entailment.word_features import without_citations, word_features
from pipeline.backends.compact.reader.model import Reader
from pipeline.backends.compact.text.words import STOPWORDS, words
from research.calibration_split import is_kept_back
from research.export import digest

Values = NDArray[np.float64]
PLAIN_WORD = re.compile(r"\w+")
BASELINES = ("plain", "idf")
"""Share of the content words that the premise holds: each counted alike, each by its rarity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One file of the data folder and how its rows go together."""

    name: str
    folder: str
    shared: str = "hypothesis"
    """Rows with the same value here are not independent."""
    best: bool = False
    """Whether of rows with the same `shared` only the one with the highest score counts."""
    most: int = 100_000
    """Rows taken, drawn with a fixed seed."""


DEV = (
    File(name="attributionbench_dev", folder="dev"),
    File(name="wice_claim_dev", folder="dev", shared="group", best=True),
    File(name="wice_claim_fulldoc", folder="dev"),
    File(name="citint", folder="dev", most=1000),
    File(name="qags_cnndm", folder="dev", shared="premise"),
)
TRAIN = (
    File(name="attribution_expertqa", folder="train"),
    File(name="attribution_factcheckgpt_stance", folder="train"),
    File(name="attribution_q2_wow", folder="train", shared="premise"),
    File(name="nli_fool_me_twice", folder="train", shared="premise"),
    File(name="nli_propsegment_dev", folder="train", shared="premise"),
    File(name="nli_fever_dev", folder="train", shared="premise", most=4000),
    File(name="nli_conjnli", folder="train", shared="premise", most=4000),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """n labelled pairs. Arrays have one row a pair, in the order of the file."""

    file: File
    features: Values
    """(n, len(FEATURES)), as `features_of` gives them; nan for what the reader makes of rows
    that it was trained on."""
    baselines: Values
    """(n, len(BASELINES))."""
    labels: Values
    """1.0 supported, 0.0 not."""
    is_word_for_word: Values
    has_other_value: Values
    """1.0 where the gate finds another value in the premise; 0.0 in train."""
    groups: NDArray[np.str_]
    sources: NDArray[np.str_]
    """Where a row of a collection comes from; the file's name elsewhere."""

    def column(self, name: str) -> Values:
        found: Values = self.features[:, FEATURES.index(name)]
        return found

    def part(self, kept: NDArray[Any]) -> "Table":
        """The rows of a mask or of indexes."""
        return Table(
            file=self.file, features=self.features[kept], baselines=self.baselines[kept],
            labels=self.labels[kept], is_word_for_word=self.is_word_for_word[kept],
            has_other_value=self.has_other_value[kept], groups=self.groups[kept], sources=self.sources[kept],
        )  # fmt: skip

    def counted(self, scores: Values) -> NDArray[np.intp]:
        """The rows that count: all, or the best of each group."""
        if not self.file.best:
            return np.arange(len(scores))
        best: dict[str, int] = {}
        for row, group in enumerate(self.groups):
            if group not in best or scores[row] > scores[best[group]]:
                best[group] = row
        return np.array(sorted(best.values()))


def rows_of(data: Path, file: File) -> list[dict[str, Any]]:
    """The rows whose premise and hypothesis have words, at most `file.most`."""
    found = [
        row
        for row in _read(data / file.folder / f"{file.name}.jsonl")
        if words(row["premise"]) and words(without_citations(row["hypothesis"]))
    ]
    if len(found) <= file.most:
        return found
    rng = random.Random(zlib.crc32(file.name.encode()))  # a sample, no secret
    return [found[i] for i in sorted(rng.sample(range(len(found)), file.most))]


def _read(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def table_of(file: File, rows: Sequence[dict[str, Any]], reader: Reader) -> Table:
    pairs = [(row["premise"], without_citations(row["hypothesis"])) for row in rows]
    fresh = [file.folder == "dev" or is_kept_back(premise) for premise, _ in pairs]
    read = features_of([pair for pair, asked in zip(pairs, fresh, strict=True) if asked], reader)
    both = iter(read)
    unread = dict.fromkeys(reader_features.FEATURES, float("nan"))
    features = [
        next(both) if asked else {**_words(*pair), **unread}
        for pair, asked in zip(pairs, fresh, strict=True)
    ]
    # As the product does, only of what counts as attributed.
    disputed = [
        float(
            file.folder == "dev"
            and weighed(each).entailed >= CHECKED_FROM
            and bool(other_value(*pair, reader))
        )
        for each, pair in zip(features, pairs, strict=True)
    ]
    return Table(
        file=file,
        has_other_value=np.array(disputed),
        features=np.array([[each[name] for name in FEATURES] for each in features]),
        baselines=np.array([_baselines(*pair) for pair in pairs]),
        labels=np.array([float(row["label"] in (1, "entailment")) for row in rows]),
        is_word_for_word=np.array([float(is_word_for_word(*pair)) for pair in pairs]),
        groups=np.array([str(row[file.shared]) for row in rows]),
        sources=np.array([str(row.get("src", file.name)) for row in rows]),
    )


def _words(premise: str, hypothesis: str) -> dict[str, float]:
    return dict(zip(WORDS, word_features(premise, hypothesis), strict=True))


def _baselines(premise: str, hypothesis: str) -> tuple[float, float]:
    known = {word.lower() for word in PLAIN_WORD.findall(premise)}
    wanted = {word.lower() for word in PLAIN_WORD.findall(hypothesis)} - STOPWORDS
    stems = {word.stem for word in words(premise)}
    rare = {w.stem: idf(w.stem) for w in words(hypothesis) if w.is_content}
    return (
        len(wanted & known) / max(1, len(wanted)),
        sum(v for stem, v in rare.items() if stem in stems) / max(1e-9, sum(rare.values())),
    )


def tables(
    data: Path, files: Sequence[File], *, weights: Path, reader: Reader, cache: Path
) -> list[Table]:
    """The tables of the files, from the folder `cache` where they are there."""
    cache.mkdir(parents=True, exist_ok=True)
    columns = [each.name for each in fields(Table)]
    made_by = f"{digest(weights)} {' '.join([*FEATURES, *columns])}"
    found = []
    for file in files:
        rows = rows_of(data, file)
        key = hashlib.sha256(f"{made_by} {file} {len(rows)}".encode()).hexdigest()[:16]
        path = cache / f"{file.name}-{key}.npz"
        if path.is_file():
            with np.load(path) as kept:
                found.append(Table(file=file, **kept))
            continue
        table = table_of(file, rows, reader)
        np.savez(
            path, features=table.features, baselines=table.baselines, labels=table.labels,
            is_word_for_word=table.is_word_for_word, has_other_value=table.has_other_value,
            groups=table.groups, sources=table.sources,
        )  # fmt: skip
        found.append(table)
    return found
