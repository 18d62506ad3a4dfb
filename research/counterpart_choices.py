"""The choices that the compact gate is put before on the train folder, and what is right of each.

Only DATA_FOLDER/train is read, never dev. `fit_counterpart` learns from them what the gate weighs.
"""

import json
import os
import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from pipeline.backends.compact.revision.agreement import judge_by_rules  # noqa: E402
from pipeline.backends.compact.values import MAX_CANDIDATES, answer_key, by_answer  # noqa: E402
from pipeline.backends.compact.revision.choice import Choice, choice_of  # noqa: E402
from pipeline.backends.compact.revision.located import locate  # noqa: E402
from pipeline.backends.compact.text.spans import mentions  # noqa: E402
from pipeline.backends.tantivy_corpus import write_index  # noqa: E402
from pipeline.engine.configuration import RunConfig  # noqa: E402
from pipeline.engine.loading import load_engine  # noqa: E402
from pipeline.rarr.configuration import RarrConfig  # noqa: E402
from pipeline.rarr.loop import revise  # noqa: E402
from pipeline.rarr.types import (  # noqa: E402
    Agreement,
    Document,
    Evidence,
    Passage,
    Query,
    Span,
    Verdict,
)
from research.calibration_split import is_kept_back  # noqa: E402
from research.swap_set import (  # noqa: E402
    Case,
    Row,
    content_share,
    make_cases,
    near_cases,
    read_jsonl,
    stands,
    supported_rows,
)

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

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        located = query.about and locate(passage, current, query.about)
        if located:
            verdict, is_final = judge_by_rules(located, evidence)
            choice = None if is_final else choice_of(located, evidence)
            if choice and (choice.has_rival or not verdict):
                self._keep(choice)
        return Agreement(verdict=Verdict.IRRELEVANT, reason="Only asked to see the choices.")

    def _keep(self, choice: Choice) -> None:
        case, evidence = self.case, choice.evidence
        right: list[bool] = [False] * len(choice.candidates)
        is_passage_value = evidence.text.strip() in case.evidence
        start = case.text.find(case.new) if case.new else -1
        place = choice.located.in_text(choice.focus)
        is_swapped = start >= 0 and place.meets(Span(start=start, end=start + len(case.new)))
        if (
            is_swapped
            and not is_passage_value
            and stands(case.old, f"{evidence.text} {evidence.title}")
        ):
            return  # another page may say the same, and nobody knows
        if is_passage_value and is_swapped:
            wanted = case.sound[place.start : place.end + len(case.old) - len(case.new)]
            keys = {answer_key(m) for m in mentions(wanted)}
            own = next(
                (
                    g
                    for g in by_answer(mentions(evidence.text)[:MAX_CANDIDATES])
                    if answer_key(g[0]) in keys
                ),
                [],
            )
            keys |= {answer_key(m) for m in own}
            right = [
                not c.is_passage_value
                and (answer_key(c.mention) in keys or c.mention.text == wanted)
                for c in choice.candidates
            ]
        if (
            is_passage_value
            and not any(right)
            and not choice.has_passage_value
            and case.source in BARE
        ):
            return
        if is_passage_value and is_swapped and choice.has_passage_value and not any(right):
            return
        kind = "near" if case.is_near else "far" if case.new else "sound"
        self.found.append(
            Met(
                case=case.id, row=case.id.rsplit("#", 1)[0],
                kind=kind if is_swapped or not case.new else "other",
                choice=choice, right=tuple(right),
            )
        )  # fmt: skip


def met_in(cases: Sequence[Case], documents: Sequence[Document], index: Path) -> list[Met]:
    """The choices that the loop meets over these cases."""
    write_index(index, documents)
    collector = Collector()
    engine = load_engine(RunConfig.from_settings(system="rarr", overrides={}), index=index)
    components = replace(engine.components, agreement_model=collector)
    for case in cases:
        collector.case = case
        passage = Passage(id=case.id, text=case.text, context=case.context)
        revise(passage, components=components, config=RarrConfig())
    return collector.found


def typed(cases: Sequence[Case]) -> list[Case]:
    """The cases, every other name among them swapped for one that the parser labels alike.

    A model that errs puts a person for a person and a place for a place more often than not.
    """
    rng = random.Random(11)
    labels: dict[str, str] = {}
    for case in cases:
        labels |= {m.text: m.label for m in mentions(case.sound) if m.label}
    alike = {
        label: sorted(name for name, other in labels.items() if other == label)
        for label in set(labels.values())
    }
    made = []
    for case in cases:
        wanted = labels.get(case.old, "")
        if case.kind == "name" and wanted and rng.random() < 0.5:
            new = rng.choice(alike[wanted])
            if new not in case.evidence and new not in case.sound and new not in case.title:
                case = replace(case, new=new, text=case.sound.replace(case.old, new))
        made.append(case)
    return made


def choices(rows: list[Row], index: Path) -> list[Met]:
    cases = typed(make_cases(rows, swaps_per_row=2)) + near_cases(rows, swaps_per_row=2)
    documents = {case.evidence: case.title for case in cases}
    return met_in(
        cases,
        [
            Document(id=str(number), title=title, url="", text=text)
            for number, (text, title) in enumerate(documents.items())
        ],
        index,
    )


def found_in(data: Path, *, kept_back: bool) -> list[Met]:
    """The choices of the rows that the reader was not trained on, or of the others."""
    with tempfile.TemporaryDirectory() as folder:
        return choices(train_rows(data, kept_back=kept_back), Path(folder))
