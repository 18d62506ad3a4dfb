"""Fit what the compact agreement gate weighs on the train folder, and write it down.

    python -m research.fit_counterpart DATA_FOLDER [--words]
        [--weights CHECKPOINT --tokenizer FILE]

Only DATA_FOLDER/train is read, never dev. What needs no reader is fitted on rows that the reader
was trained on too, the two looks that ask it on the rows that were kept back from it. Writes
pipeline/backends/compact/revision/ranking_coefficients.json and prints how often the second look
finds the answer on rows that another fit has not seen. Some minutes; `--words` fits the part
without the reader too, which a new checkpoint does not change.
"""

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from pipeline.backends.compact.reader.model import Reader, shipped
from pipeline.backends.compact.revision import choice
from pipeline.backends.compact.revision.choice import (
    COEFFICIENTS,
    MAX_READ,
    WORTH_READING,
    entailment_features,
    evidence_reader,
    is_worth_pointing,
    pointer_features,
    probabilities,
)
from research.counterpart_choices import Met, found_in

LOOKS = Path(choice.__file__).with_name("ranking_coefficients.json")
GROUPS = ("number", "date", "name")
RIDGE = 2e-3


@dataclass(frozen=True, kw_only=True)
class Example:
    """A choice in numbers: a row of features for each candidate."""

    met: Met
    first: np.ndarray
    """(candidates, FIRST)"""
    second: np.ndarray
    """(candidates that were read, SECOND)"""
    right: np.ndarray
    right_read: np.ndarray
    own: np.ndarray
    own_read: np.ndarray
    texts: tuple[str, ...]
    """Of each that was read: the answer as the sentence would call it."""
    raises: np.ndarray
    """Whether it raises entailment."""
    entailed: float
    """The sentence as it is."""

    @property
    def is_held_out(self) -> bool:
        return not hashlib.sha256(self.met.row.encode()).digest()[1] % 4


def pointed_rows(met: Met, reader: Reader) -> np.ndarray:
    """What the first look sees, (candidates, FIRST)."""
    answers = evidence_reader(met.choice, reader).score_spans(
        met.choice.focus, [each.places for each in met.choice.candidates]
    )
    return np.array(pointer_features(met.choice, *answers))


def words_fit(found: Sequence[Met]) -> dict[str, Any]:
    """The coefficients of what needs no reader, by group."""
    return {
        group: tuple(
            fitted(
                [
                    (
                        np.array(met.choice.rows),
                        np.array(met.right),
                        np.array([c.is_passage_value for c in met.choice.candidates]),
                    )
                    for met in found
                    if met.choice.group == group
                ],
                ridge=RIDGE,
            )
        )
        for group in GROUPS
    }


def examples(found: Sequence[Met], reader: Reader) -> tuple[list[Example], dict[str, Any]]:
    """Each choice that comes before the reader, as it sees it, and the first look, which says
    whom to try."""
    found = [met for met in found if is_worth_pointing(met.choice)]
    firsts = [pointed_rows(met, reader) for met in found]
    look = {}
    for group in GROUPS:
        look[group] = tuple(
            fitted(
                [
                    (
                        rows,
                        np.array(met.right),
                        np.array([c.is_passage_value for c in met.choice.candidates]),
                    )
                    for met, rows in zip(found, firsts, strict=True)
                    if met.choice.group == group
                ],
                ridge=RIDGE,
            )
        )
    made = []
    for met, rows in zip(found, firsts, strict=True):
        example = example_of(met, rows, look, reader)
        if example:
            made.append(example)
    return made, look


def example_of(met: Met, rows: np.ndarray, look: dict[str, Any], reader: Reader) -> Example | None:
    """A choice with what the second look sees; None where the first leaves no doubt."""
    choice, asked = met.choice, evidence_reader(met.choice, reader)
    likely = probabilities(rows.tolist(), look[choice.group])
    others = [i for i, c in enumerate(choice.candidates) if not c.is_passage_value]
    if sum(likely[i] for i in others) < WORTH_READING and not any(met.right):
        return None
    top = sorted(others, key=lambda i: -likely[i])[:MAX_READ]
    kept = [
        i for i, c in enumerate(choice.candidates) if c.is_passage_value or i in top or met.right[i]
    ]
    texts = [choice.answer(choice.candidates[i]) for i in kept]
    now, tried = asked.read(choice.focus, texts)
    second = entailment_features([tuple(rows[i]) for i in kept], tried, now)
    own, right = np.array([c.is_passage_value for c in choice.candidates]), np.array(met.right)
    return Example(
        met=met, first=rows, second=np.array(second), right=right, right_read=right[kept],
        own=own, own_read=own[kept], texts=tuple(texts),
        raises=np.array([each.supported > now.supported for each in tried]),
        entailed=now.supported,
    )  # fmt: skip


def fitted(
    data: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]], *, ridge: float
) -> np.ndarray:
    """Maximum likelihood of a softmax over candidates and none, with a small ridge.

    Each choice is (features, which are right, which are the passage's own value); where none is
    right, the passage's own value and "none of these" both leave it as it is.
    """
    features = np.vstack([each[0] for each in data])
    owner = np.concatenate([[i] * len(each[0]) for i, each in enumerate(data)])
    kept = np.array([not each[1].any() for each in data], float)
    good_ones = np.concatenate([each[1] if each[1].any() else each[2] for each in data]).astype(
        float
    )

    def loss(beta: np.ndarray) -> tuple[float, np.ndarray]:
        scores = np.exp(np.clip(beta[0] + features @ beta[1:], -30, 30))
        total = 1 + np.bincount(owner, scores, len(kept))
        good = kept + np.bincount(owner, scores * good_ones, len(kept)) + 1e-12
        value = -np.log(good / total).mean()
        pull = scores / total[owner] - scores * good_ones / good[owner]
        gradient = np.concatenate([[pull.sum()], features.T @ pull]) / len(kept)
        value += ridge * (beta[1:] ** 2).sum() / 2
        gradient[1:] += ridge * beta[1:]
        return value, gradient

    start = np.zeros(features.shape[1] + 1)
    best: np.ndarray = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return best


def second_fit(made: Sequence[Example]) -> dict[str, Any]:
    """The coefficients of the second look, by group."""
    return {
        group: tuple(
            fitted(
                [(e.second, e.right_read, e.own_read) for e in made if e.met.choice.group == group],
                ridge=RIDGE,
            )
        )
        for group in GROUPS
    }


def report(made: Sequence[Example], second: dict[str, Any]) -> None:
    """Found and spoiled at several thresholds, for choices with and without the own value."""
    for group in GROUPS:
        for has_passage_value in (False, True):
            mine = [
                e
                for e in made
                if e.met.choice.group == group
                and e.met.choice.has_passage_value == has_passage_value
            ]
            for threshold in (0.2, 0.3, 0.5, 0.7, 0.9):
                hit = wrong = total = silent = vain = 0
                for e in mine:
                    shares = np.array(probabilities(e.second.tolist(), second[group]))
                    shares[e.own_read] = 0.0
                    opened = shares.sum() >= threshold
                    answerable = bool(e.right.any())
                    total += answerable
                    silent += not answerable
                    if opened:
                        right = bool(e.right_read[int(shares.argmax())])
                        hit += right
                        wrong += answerable and not right
                        vain += not answerable
                print(
                    f"# {group:6} {'near' if has_passage_value else 'far ':4} at {threshold}: "
                    f"{hit}/{total} found, {wrong} other, {vain}/{silent} opened in vain"
                )


def write_looks(tables: dict[str, dict[str, Any]]) -> None:
    rounded = {
        name: {group: [round(float(value), 3) for value in values] for group, values in table.items()}
        for name, table in tables.items()
    }
    LOOKS.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="the folder that holds train/")
    parser.add_argument("--words", action="store_true", help="fit what needs no reader too")
    parser.add_argument("--weights", type=Path, help="a checkpoint; else the shipped weights")
    parser.add_argument("--tokenizer", type=Path, help="its tokenizer.json")
    options = parser.parse_args()
    if options.weights:
        extra = {"tokenizer": options.tokenizer} if options.tokenizer else {}
        reader = Reader.of_files(options.weights, **extra)
    else:
        reader = shipped()
    words = COEFFICIENTS["words"]
    if options.words:
        words.update(words_fit(found_in(options.data, kept_back=False)))
    made, first = examples(found_in(options.data, kept_back=True), reader)
    report([e for e in made if e.is_held_out], second_fit([e for e in made if not e.is_held_out]))
    write_looks({"words": words, "pointer": first, "entailment": second_fit(made)})


if __name__ == "__main__":
    main()
