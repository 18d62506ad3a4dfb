"""Fit what the compact agreement gate weighs on the train folder, and write it down.

    python -m tests.bench.fit_counterpart DATA_FOLDER [--words]
        [--weights CHECKPOINT --tokenizer FILE]

Only DATA_FOLDER/train is read, never dev. What needs no reader is fitted on rows that the reader
was trained on too, the two looks that ask it on the rows that were kept back from it. Writes
pipeline/backends/compact/looks.py and prints how often the second look finds the answer on rows
that another fit has not seen. Some minutes; `--words` fits the part without the reader too, which
a new checkpoint does not change.
"""

import argparse
import hashlib
import json
import os
import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import django
import numpy as np
from scipy.optimize import minimize

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from pipeline.backends.compact.agreement import settle  # noqa: E402
from pipeline.backends.compact.answers import answer_key, by_answer, offered  # noqa: E402
from pipeline.backends.compact.choosing import (  # noqa: E402
    MOST_READ,
    WORTH_READING,
    Choice,
    answer_text,
    choice_of,
    first_look,
    is_worth_pointing,
    probabilities,
    second_look,
)
from pipeline.backends.compact.located import Located, locate  # noqa: E402
from pipeline.backends.compact.looks import WORDS_ALONE  # noqa: E402
from pipeline.backends.compact.reader.model import Reader, shipped  # noqa: E402
from pipeline.backends.compact.reading import Asked  # noqa: E402
from pipeline.backends.compact.spans import mentions  # noqa: E402
from pipeline.backends.compact.training.kept_back import is_kept_back  # noqa: E402
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
    make_cases,
    near_cases,
    read_jsonl,
    supported_rows,
)

LOOKS = Path(__file__).parents[2] / "pipeline" / "backends" / "compact" / "looks.py"
FILES = (
    "attribution_expertqa", "attribution_factcheckgpt_stance", "attribution_q2_wow",
    "nli_fever_dev", "nli_conjnli", "nli_propsegment_dev", "nli_fool_me_twice",
)  # fmt: skip
BARE = ("nli_fever_dev", "nli_conjnli", "nli_fool_me_twice", "attribution_q2_wow")
"""Their premises lack the page's title, so that a missing subject there says nothing."""
MOST_ROWS = 300
"""Of each file, so that none decides alone."""
LEAST_SHARE = 0.5
"""Share of its content words that the evidence of a sentence must hold to be learnt from."""
GROUPS = ("number", "date", "name")
RIDGE = 2e-3


def train_rows(data: Path, *, kept_back: bool) -> list[Row]:
    """Supported sentences of the train files that carry a licence, and answered questions.

    `kept_back`: only those that the reader was not trained on, as it knows the others by heart;
    else only the others.
    """
    rng = random.Random(7)
    train = data / "train"
    parts = [supported_rows(train / f"{name}.jsonl", name) for name in FILES]
    questions = [*read_jsonl(train / "qa_qed_dev_qa.jsonl")]
    parts.append(list(answered(questions, "qed", rng)))
    questions = [*read_jsonl(train / "qa_squad_train_part.jsonl")]
    parts.append(list(answered(questions, "squad train", rng)))
    parts.append(list(answered(squad_questions(train / "squad_dev-1.1.json"), "squad dev", rng)))
    rows: list[Row] = []
    for found in parts:
        usable = [
            row
            for row in found
            if is_kept_back(row.evidence) == kept_back and content_share(row) >= LEAST_SHARE
        ]
        rows += rng.sample(usable, min(MOST_ROWS, len(usable)))
    return rows


def squad_questions(path: Path) -> Iterator[dict[str, Any]]:
    """The questions of a file in SQuAD's own format, a row each."""
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                yield {
                    "id": question["id"],
                    "title": article["title"],
                    "context": paragraph["context"],
                    "question": question["question"],
                    "answer": question["answers"][0]["text"],
                }


def answered(questions: Iterable[dict[str, Any]], source: str, rng: random.Random) -> Iterator[Row]:
    """Questions with a question word for a subject, answered in a sentence."""
    for row in questions:
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
            id=str(row["id"]), source=source, sentence=sentence[0].upper() + sentence[1:],
            context=row["question"] if rng.random() < 0.7 else "", evidence=text,
            title=row.get("title", "").replace("_", " "),
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Met:
    """A choice that the gate was put before, and what was right."""

    case: str
    """Its id."""
    row: str
    kind: str
    """sound, far or near: what the case is; "other" for a span that is not the swapped one."""
    choice: Choice
    located: Located
    current: str
    context: str
    evidence: Evidence
    right: tuple[bool, ...]
    """Of each candidate. Where none is, the passage should stay as it is."""


class Collector:
    """Stands in for the gate in RARR's own loop, and keeps the choices that it is put before.

    The passage stays as it is, so that each of its spans is met with what the search brings:
    its own evidence, and what shares a wrong value with it.
    """

    def __init__(self) -> None:
        self.case: Case
        self.found: list[Met] = []
        self._splitter = SpacySplitter()

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        located = query.about and locate(
            passage.text, current, query.about, splitter=self._splitter
        )
        if located:
            settled = settle(located, passage=passage, current=current, evidence=evidence)
            if not settled.agreement:
                choice = choice_of(located, passage=passage, current=current, evidence=evidence)
                if choice and (choice.has_own or not settled.otherwise):
                    self._keep(choice, located, passage, evidence)
        return Agreement(verdict=Verdict.IRRELEVANT, reason="Only asked to see the choices.")

    def _keep(self, choice: Choice, located: Located, passage: Passage, evidence: Evidence) -> None:
        case = self.case
        right: list[bool] = [False] * len(choice.found)
        is_own = evidence.text.strip() in case.evidence
        start = case.text.find(case.new) if case.new else -1
        low, high = located.offset + choice.focus.start, located.offset + choice.focus.end
        is_swapped = start >= 0 and low < start + len(case.new) and start < high
        if is_own and is_swapped:
            wanted = case.sound[low : high + len(case.old) - len(case.new)]
            keys = {answer_key(m) for m in mentions(wanted)}
            own = next(
                (g for g in by_answer(offered(evidence.text)) if answer_key(g[0]) in keys), []
            )
            keys |= {answer_key(m) for m in own}
            right = [
                not c.is_own and (answer_key(c.mention) in keys or c.mention.text == wanted)
                for c in choice.found
            ]
        if is_own and not any(right) and not choice.has_own and case.source in BARE:
            return
        if is_own and is_swapped and choice.has_own and not any(right):
            return
        kind = "near" if case.is_near else "far" if case.new else "sound"
        self.found.append(
            Met(
                case=case.id, row=case.id.rsplit("#", 1)[0],
                kind=kind if is_swapped or not case.new else "other",
                choice=choice, located=located, current=passage.text, context=passage.context,
                evidence=evidence, right=tuple(right),
            )
        )  # fmt: skip


def met_in(cases: Sequence[Case], documents: Sequence[Document], index: Path) -> list[Met]:
    """The choices that the loop meets over these cases."""
    write_index(index, documents)
    collector = Collector()
    engine = load_engine(RunConfig.from_settings(system="rarr", overrides={}), index=index)
    steps = replace(engine.steps, agreement=collector)
    for case in cases:
        collector.case = case
        passage = Passage(id=case.id, text=case.text, context=case.context)
        revise(passage, steps=steps, config=RarrConfig())
    return collector.found


def choices(rows: list[Row], index: Path) -> list[Met]:
    cases = make_cases(rows, swaps_per_row=2) + near_cases(rows, swaps_per_row=2)
    documents = {case.evidence: case.title for case in cases}
    return met_in(
        cases,
        [
            Document(id=str(number), title=title, url="", text=text)
            for number, (text, title) in enumerate(documents.items())
        ],
        index,
    )


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


def _asked(met: Met, reader: Reader) -> Asked:
    return Asked(reader, met.current, met.located.place, context=met.context, evidence=met.evidence)


def pointed_rows(met: Met, reader: Reader) -> np.ndarray:
    """What the first look sees, (candidates, FIRST)."""
    answers = _asked(met, reader).pointed(met.choice.span, met.choice.places)
    return np.array(first_look(met.choice, answers))


def words_fit(found: Sequence[Met]) -> dict[str, Any]:
    """The coefficients of what needs no reader, by group."""
    return {
        group: tuple(
            fitted(
                [
                    (
                        np.array([c.features for c in met.choice.found]),
                        np.array(met.right),
                        np.array([c.is_own for c in met.choice.found]),
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
                    (rows, np.array(met.right), np.array([c.is_own for c in met.choice.found]))
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
    choice, asked = met.choice, _asked(met, reader)
    likely = probabilities(rows.tolist(), look[choice.group])
    others = [i for i, c in enumerate(choice.found) if not c.is_own]
    if sum(likely[i] for i in others) < WORTH_READING and not any(met.right):
        return None
    top = sorted(others, key=lambda i: -likely[i])[:MOST_READ]
    kept = [i for i, c in enumerate(choice.found) if c.is_own or i in top or met.right[i]]
    texts = [
        choice.focus.text
        if choice.found[i].is_own
        else answer_text(choice.found[i], choice.focus, met.located.sentence, met.evidence.text)
        for i in kept
    ]
    now, tried = asked.read(choice.span, texts)
    second = second_look([tuple(rows[i]) for i in kept], tried, now)
    own, right = np.array([c.is_own for c in choice.found]), np.array(met.right)
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
        for has_own in (False, True):
            mine = [
                e for e in made if e.met.choice.group == group and e.met.choice.has_own == has_own
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
                    f"# {group:6} {'near' if has_own else 'far ':4} at {threshold}: "
                    f"{hit}/{total} found, {wrong} other, {vain}/{silent} opened in vain"
                )


def write_looks(tables: dict[str, dict[str, Any]], about: str) -> None:
    lines = [
        '"""The coefficients of `choosing.py`, by kind of span: a bias, then one for each feature.',
        "",
        "Written by tests/bench/fit_counterpart.py, which reads train data only.",
        f"{about}",
        '"""',
        "",
    ]
    for name, table in tables.items():
        lines.append(f"{name}: dict[str, tuple[float, ...]] = {{")
        for group, values in table.items():
            lines.append(f'    "{group}": (')
            texts = [f"{value:.3f}" for value in values]
            for start in range(0, len(texts), 12):
                lines.append("        " + ", ".join(texts[start : start + 12]) + ",")
            lines.append("    ),")
        lines.append("}  # fmt: skip")
    LOOKS.write_text("\n".join(lines) + "\n", encoding="utf-8")


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
    if options.words:
        WORDS_ALONE.update(words_fit(_found(options.data, kept_back=False)))
    made, first = examples(_found(options.data, kept_back=True), reader)
    report([e for e in made if e.is_held_out], second_fit([e for e in made if not e.is_held_out]))
    counts = {g: sum(e.met.choice.group == g for e in made) for g in GROUPS}
    told = ", ".join(f"{count} {group}s" for group, count in counts.items())
    write_looks(
        {"WORDS_ALONE": WORDS_ALONE, "FIRST_LOOK": first, "SECOND_LOOK": second_fit(made)},
        about=f"The two looks are of {told}.",
    )


def _found(data: Path, *, kept_back: bool) -> list[Met]:
    with tempfile.TemporaryDirectory() as folder:
        return choices(train_rows(data, kept_back=kept_back), Path(folder))


if __name__ == "__main__":
    main()
