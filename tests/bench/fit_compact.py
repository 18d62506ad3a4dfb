"""Fit the coefficients of the compact rules on the train folder, and print them.

    python -m tests.bench.fit_compact DATA_FOLDER [--part counterpart|entailment]

Only DATA_FOLDER/train is read, never dev. Copy what it prints into
pipeline/backends/compact/coefficients.py. Takes a few minutes.
"""

import argparse
import hashlib
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from pipeline.backends.compact.agreement import focus_of, group_of
from pipeline.backends.compact.answers import answer_key, by_answer, offered
from pipeline.backends.compact.counterparts import candidates
from pipeline.backends.compact.entailment import FEATURES as ENTAILMENT_FEATURES
from pipeline.backends.compact.entailment import entailment_features
from pipeline.backends.compact.relevance import CompactRelevance
from pipeline.backends.compact.spans import mentions
from pipeline.backends.compact.surroundings import FEATURES
from pipeline.backends.compact.values import stands_in
from pipeline.backends.sentences import SpacySplitter
from pipeline.rarr.types import Document
from pipeline.rarr.windows import slide
from tests.bench.swap_set import Case, Row, make_cases, read_jsonl, supported_rows

ATTRIBUTION = ("attribution_expertqa", "attribution_factcheckgpt_stance", "attribution_q2_wow")
NLI = ("nli_fever_dev", "nli_conjnli", "nli_propsegment_dev", "nli_fool_me_twice")
BARE = ("nli_fever_dev", "nli_conjnli", "nli_fool_me_twice", "attribution_q2_wow")
"""Their premises lack the page's title, so that a missing subject there says nothing."""
MOST_ROWS = 1500
"""Of each file, so that none decides alone."""


def train_rows(data: Path) -> list[Row]:
    """Supported sentences of the train files that carry a licence, and answered questions."""
    rng = random.Random(7)
    rows: list[Row] = []
    for name in (*ATTRIBUTION, *NLI):
        found = supported_rows(data / "train" / f"{name}.jsonl", name)
        rows += rng.sample(found, min(MOST_ROWS, len(found)))
    rows += answered(data / "train" / "qa_qed_dev_qa.jsonl", rng)
    rows += answered(data / "train" / "qa_squad_train_part.jsonl", rng)
    return rows


def answered(path: Path, rng: random.Random) -> Iterator[Row]:
    """Questions with a question word for a subject, answered in a sentence."""
    for row in read_jsonl(path):
        question = row["question"].strip().rstrip("?").strip()
        answer = row["answers"][0]["text"] if "answers" in row else row["answer"]
        first, _, rest = question.partition(" ")
        if first.lower() in ("who", "what", "which") and len(rest.split()) >= 4:
            if rest.split()[0].lower() in ("is", "are", "was", "were", "did", "does", "do", "the"):
                continue
            sentence = f"{answer} {rest}."
        elif question.lower().startswith(("in what year did ", "what year did ", "when did ")):
            sentence = f"In {answer}, {question[question.lower().index(' did ') + 5 :]}."
        else:
            continue
        text = row["context"].replace(" ,", ",").replace(" .", ".").replace(" 's", "'s")
        yield Row(
            id=str(row["id"]), source=path.stem, sentence=sentence[0].upper() + sentence[1:],
            context=row["question"] if rng.random() < 0.7 else "", evidence=text,
            title=row.get("title", "").replace("_", " "),
        )  # fmt: skip


class Windows:
    """The window of a text that relevance would keep for a sentence, as the loop reads it."""

    def __init__(self) -> None:
        self._splitter = SpacySplitter()
        self._relevance = CompactRelevance()

    def best(self, sentence: str, text: str) -> str:
        found = slide(
            Document(id="d", title="", url="", text=text),
            splitter=self._splitter, sentences=4, stride=1,
        )  # fmt: skip
        if not found:
            return text
        scores = self._relevance.score([(sentence, window.text) for window in found])
        return found[max(range(len(found)), key=lambda i: scores[i])].text


def choices(cases: list[Case], rng: random.Random) -> Iterator[tuple[str, str, np.ndarray, int]]:
    """(group, case id, rows of features, index of the right one or -1 for none), one a span."""
    windows = Windows()
    neighbours = _Neighbours(cases)
    for case in cases:
        grounds = [(case.evidence, case.title, True)]
        if rng.random() < 0.35:
            other = neighbours.of(case, rng)
            if other:
                grounds.append((other.evidence, other.title, False))
        for evidence, title, is_own in grounds:
            for mention in mentions(case.text):
                holed = case.text[: mention.start] + " " + case.text[mention.end :]
                window = windows.best(holed, evidence)
                ground = window + "\n" + title
                rest = case.text[: mention.start] + "\n" + case.text[mention.end :]
                if any(stands_in(mention, text) for text in (ground, case.context, rest)):
                    continue
                focus = focus_of(mention, ground)
                found = candidates(
                    sentence=case.text, mention=focus, evidence=window, title=title,
                    context=case.context,
                )  # fmt: skip
                if not found:
                    continue
                right: list[int] = []
                at = case.text.find(case.new) if case.new else -1
                if is_own and at >= 0 and focus.start < at + len(case.new) and at < focus.end:
                    wanted = case.sound[focus.start : focus.end + len(case.old) - len(case.new)]
                    keys = {answer_key(m) for m in mentions(wanted)}
                    own = next(
                        (g for g in by_answer(offered(window)) if answer_key(g[0]) in keys), []
                    )
                    keys |= {answer_key(m) for m in own}
                    right = [
                        i for i, c in enumerate(found)
                        if answer_key(c.mention) in keys or c.mention.text == wanted
                    ]  # fmt: skip
                if is_own and not right and case.source in BARE:
                    continue
                matrix = np.array([[*c.features, float(i in right)] for i, c in enumerate(found)])
                yield group_of(focus), case.id.rsplit("#", 1)[0], matrix, len(right)


class _Neighbours:
    """Another row's evidence that shares words: what a search brings when it errs."""

    def __init__(self, cases: list[Case]) -> None:
        self._by_word: dict[str, list[Case]] = {}
        for case in cases:
            if case.kind == "sound":
                for mention in mentions(case.sound):
                    self._by_word.setdefault(mention.text, []).append(case)

    def of(self, case: Case, rng: random.Random) -> Case | None:
        found = [
            other
            for mention in mentions(case.text)
            for other in self._by_word.get(mention.text, ())[:20]
            if other.evidence != case.evidence
        ]
        return rng.choice(found) if found else None


def fit_counterpart(rows: list[tuple[str, str, np.ndarray, int]], group: str) -> None:
    """Maximum likelihood of a softmax over candidates and none, with a small ridge."""
    mine = [row for row in rows if row[0] == group]
    train = [row for row in mine if hashlib.sha256(row[1].encode()).digest()[1] % 4]
    test = [row for row in mine if not hashlib.sha256(row[1].encode()).digest()[1] % 4]

    def packed(chosen: list[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        features = np.vstack([row[2][:, :-1] for row in chosen])
        right = np.concatenate([row[2][:, -1] for row in chosen])
        owner = np.concatenate([[i] * len(row[2]) for i, row in enumerate(chosen)])
        none = np.array([row[3] == 0 for row in chosen], float)
        return features, right, owner, none

    def loss(beta: np.ndarray, data: Any) -> tuple[float, np.ndarray]:
        features, right, owner, none = data
        scores = np.exp(np.clip(beta[0] + features @ beta[1:], -30, 30))
        total = 1 + np.bincount(owner, scores, len(none))
        good = none + np.bincount(owner, scores * right, len(none))
        value = -np.log(good / total).mean()
        share = scores / total[owner]
        pull = share - scores * right / good[owner]
        gradient = np.concatenate([[pull.sum()], features.T @ pull]) / len(none)
        ridge = 2e-3
        value += ridge * (beta[1:] ** 2).sum() / 2
        gradient[1:] += ridge * beta[1:]
        return value, gradient

    data = packed(train)
    best = minimize(loss, np.zeros(len(FEATURES) + 1), args=(data,), jac=True, method="L-BFGS-B")
    beta = best.x
    print(f'    "{group}": (')
    print("        " + ", ".join(f"{value:.2f}" for value in beta) + ",")
    print(f"    ),  # {len(train)} choices, {sum(row[3] > 0 for row in train)} with an answer")
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        hit = wrong = total = silent = 0
        for _, _, matrix, right in test:
            scores = np.exp(np.clip(beta[0] + matrix[:, :-1] @ beta[1:], -30, 30))
            shares = scores / (1 + scores.sum())
            top = int(shares.argmax())
            total += right > 0
            silent += right == 0
            if shares[top] >= threshold:
                hit += matrix[top, -1] == 1
                wrong += matrix[top, -1] == 0 and right == 0
        print(f"    # {group} at {threshold}: {hit}/{total} found, {wrong}/{silent} opened in vain")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="the folder that holds train/")
    parser.add_argument("--part", choices=("counterpart", "entailment"), default="counterpart")
    options = parser.parse_args()
    if options.part == "entailment":
        fit_entailment(options.data)
        return
    cases = make_cases(train_rows(options.data), swaps_per_row=2)
    rows = list(choices(cases, random.Random(5)))
    for group in ("number", "date", "name"):
        fit_counterpart(rows, group)


def fit_entailment(data: Path) -> None:
    """Logistic regression with each file weighted alike and both classes weighted alike."""
    rng = random.Random(11)
    features: list[tuple[float, ...]] = []
    labels: list[float] = []
    weights: list[float] = []
    for name in (*ATTRIBUTION, *NLI):
        rows = list(read_jsonl(data / "train" / f"{name}.jsonl"))
        rng.shuffle(rows)
        rows = rows[:3000]
        marks = [float(row["label"] in (1, "entailment")) for row in rows]
        share = sum(marks) / len(marks)
        for row, mark in zip(rows, marks, strict=True):
            features.append(entailment_features(row["premise"], row["hypothesis"]))
            labels.append(mark)
            weights.append(1 / len(rows) / 2 / (share if mark else 1 - share))
    matrix, target, weight = np.array(features), np.array(labels), np.array(weights)
    weight /= weight.sum()

    def loss(beta: np.ndarray) -> tuple[float, np.ndarray]:
        logits = beta[0] + matrix @ beta[1:]
        share = 1 / (1 + np.exp(-logits))
        value = -(weight * np.log(np.where(target == 1, share, 1 - share) + 1e-12)).sum()
        pull = weight * (share - target)
        gradient = np.concatenate([[pull.sum()], matrix.T @ pull])
        value += 1e-3 * (beta[1:] ** 2).sum() / 2
        gradient[1:] += 1e-3 * beta[1:]
        return value, gradient

    # More overlap never speaks against entailment, and a lack never for it.
    lacks = {"missing_number", "missing_name", "negation", "length", "longest_gap"}
    bounds = [(None, None)] + [
        (None, 0.0) if name in lacks else (0.0, None) for name in ENTAILMENT_FEATURES
    ]
    best = minimize(loss, np.zeros(len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds)
    print("ENTAILMENT: tuple[float, ...] = (")
    print("    " + ", ".join(f"{value:.2f}" for value in best.x) + ",")
    print(f")  # {len(labels)} rows, log loss {best.fun:.3f} (chance {math.log(2):.3f})")
    for name, value in zip(ENTAILMENT_FEATURES, best.x[1:], strict=True):
        print(f"# {name:16} {value:6.2f}")


if __name__ == "__main__":
    main()
