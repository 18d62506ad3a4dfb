"""Fit the coefficients of the compact rules on the train folder, and print them.

    python -m tests.bench.fit_compact DATA_FOLDER [--part counterpart|entailment]

Only DATA_FOLDER/train is read, never dev. Copy what it prints into
pipeline/backends/compact/coefficients.py. Takes a few minutes.
"""

import argparse
import hashlib
import math
import os
import random
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import django
import numpy as np
from scipy.optimize import minimize

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from pipeline.backends.compact.agreement import (  # noqa: E402
    LIKELY_FROM,
    CompactAgreement,
    Located,
    focus_of,
    group_of,
    settle,
)
from pipeline.backends.compact.answers import answer_key, by_answer, offered  # noqa: E402
from pipeline.backends.compact.counterparts import candidates  # noqa: E402
from pipeline.backends.compact.entailment import FEATURES as ENTAILMENT_FEATURES  # noqa: E402
from pipeline.backends.compact.entailment import entailment_features  # noqa: E402
from pipeline.backends.compact.spans import mentions  # noqa: E402
from pipeline.backends.compact.surroundings import FEATURES  # noqa: E402
from pipeline.backends.sentences import SpacySplitter  # noqa: E402
from pipeline.backends.tantivy_corpus import write_index  # noqa: E402
from pipeline.engine import RunConfig, load_engine  # noqa: E402
from pipeline.rarr.loop import revise  # noqa: E402
from pipeline.rarr.types import (  # noqa: E402
    Agreement,
    Document,
    Evidence,
    Passage,
    Query,
    RarrConfig,
    Verdict,
)
from tests.bench.swap_set import (  # noqa: E402
    Case,
    Row,
    content_share,
    dev_sets,
    make_cases,
    read_jsonl,
    supported_rows,
)

ATTRIBUTION = ("attribution_expertqa", "attribution_factcheckgpt_stance", "attribution_q2_wow")
NLI = ("nli_fever_dev", "nli_conjnli", "nli_propsegment_dev", "nli_fool_me_twice")
BARE = ("nli_fever_dev", "nli_conjnli", "nli_fool_me_twice", "attribution_q2_wow")
"""Their premises lack the page's title, so that a missing subject there says nothing."""
MOST_ROWS = 1500
"""Of each file, so that none decides alone."""
LEAST_SHARE = 0.5
"""Share of its content words that the evidence of a sentence must hold to be learnt from."""


def train_rows(data: Path) -> list[Row]:
    """Supported sentences of the train files that carry a licence, and answered questions."""
    rng = random.Random(7)
    rows: list[Row] = []
    measured = {case.evidence for case in dev_sets(data)["FEVER, entailed"].cases}
    for name in (*ATTRIBUTION, *NLI):
        found = supported_rows(data / "train" / f"{name}.jsonl", name)
        found = [row for row in found if row.evidence not in measured]
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


class Collector(CompactAgreement):
    """Stands in for the gate in RARR's own loop, and keeps the choices that it is put before.

    The passage stays as it is, so that each of its spans is met with what the search brings:
    its own evidence, and what shares a wrong value with it.
    """

    def __init__(self) -> None:
        super().__init__(SpacySplitter())
        self.case: Case
        self.found: list[tuple[str, str, np.ndarray, int]] = []

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        located = query.about and self._locate(passage.text, current, query.about)
        if located and not settle(located, passage=passage, current=current, evidence=evidence):
            self._keep(located, passage.context, evidence)
        return Agreement(verdict=Verdict.IRRELEVANT, reason="Only asked to see the choices.")

    def _keep(self, located: Located, context: str, evidence: Evidence) -> None:
        case = self.case
        focus = focus_of(located.mention, evidence.text + "\n" + evidence.title)
        at = located.span.start - located.mention.start
        found = candidates(
            sentence=located.sentence, mention=focus, evidence=evidence.text,
            title=evidence.title, context=context,
            elsewhere=case.text[: located.span.start] + "\n" + case.text[located.span.end :],
        )  # fmt: skip
        if not found:
            return
        right: list[int] = []
        is_own = evidence.text.strip() in case.evidence
        start = case.text.find(case.new) if case.new else -1
        low, high = focus.start + at, focus.end + at
        is_swapped = start >= 0 and low < start + len(case.new) and start < high
        if is_own and is_swapped:
            wanted = case.sound[low : high + len(case.old) - len(case.new)]
            keys = {answer_key(m) for m in mentions(wanted)}
            own = next(
                (g for g in by_answer(offered(evidence.text)) if answer_key(g[0]) in keys), []
            )
            keys |= {answer_key(m) for m in own}
            right = [
                i for i, c in enumerate(found)
                if answer_key(c.mention) in keys or c.mention.text == wanted
            ]  # fmt: skip
        if is_own and not right and case.source in BARE:
            return
        matrix = np.array([[*c.features, float(i in right)] for i, c in enumerate(found)])
        self.found.append((group_of(focus), case.id.rsplit("#", 1)[0], matrix, len(right)))


def choices(rows: list[Row], index: Path) -> list[tuple[str, str, np.ndarray, int]]:
    """(group, row id, features of the candidates, how many are right) of each choice."""
    cases = make_cases(rows, swaps_per_row=2)
    documents = {case.evidence: case.title for case in cases}
    write_index(
        index,
        (
            Document(id=str(number), title=title, url="", text=text)
            for number, (text, title) in enumerate(documents.items())
        ),
    )
    collector = Collector()
    engine = load_engine(RunConfig.from_settings(system="rarr", overrides={}), index=index)
    steps = replace(engine.steps, agreement=collector)
    shares = {row.sentence: content_share(row) for row in rows}
    for case in cases:
        if shares[case.sound] < LEAST_SHARE:
            continue
        collector.case = case
        passage = Passage(id=case.id, text=case.text, context=case.context)
        revise(passage, steps=steps, config=RarrConfig())
    return collector.found


def fit_counterpart(rows: list[tuple[str, str, np.ndarray, int]], group: str) -> None:
    """Maximum likelihood of a softmax over candidates and none, with a small ridge.

    Printed is the fit on all choices; the hits below it are on a quarter that another fit on
    the rest has not seen.
    """
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

    def fitted(chosen: list[Any]) -> np.ndarray:
        data = packed(chosen)
        start = np.zeros(len(FEATURES) + 1)
        best: np.ndarray = minimize(loss, start, args=(data,), jac=True, method="L-BFGS-B").x
        return best

    print(f"    # {len(mine)} choices, {sum(row[3] > 0 for row in mine)} with an answer")
    print(f'    "{group}": (')
    values = [f"{value:.2f}" for value in fitted(mine)]
    for start in range(0, len(values), 13):
        print("        " + ", ".join(values[start : start + 13]) + ",")
    print("    ),")
    beta = fitted(train)
    for threshold in (0.2, 0.25, 0.3, 0.4, 0.5):
        hit = wrong = total = silent = 0
        for _, _, matrix, right in test:
            scores = np.exp(np.clip(beta[0] + matrix[:, :-1] @ beta[1:], -30, 30))
            shares = scores / (1 + scores.sum())
            top = int(shares.argmax())
            total += right > 0
            silent += right == 0
            if shares.sum() >= threshold and shares[top] >= LIKELY_FROM:
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
    with tempfile.TemporaryDirectory() as folder:
        rows = choices(train_rows(options.data), Path(folder))
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
