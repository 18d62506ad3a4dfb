"""A folder like the data folder, with a few made rows in every file that training reads."""

import json
from pathlib import Path
from typing import Any

from pipeline.backends.compact.training.sources import SOURCES

TOWNS = ("Arvika", "Bergby", "Dalum", "Elnes", "Farsund", "Gaular", "Hamre", "Ilseng")
PEOPLE = (
    "Anna Berg",
    "Carl Lund",
    "Ida Falk",
    "Nils Ek",
    "Eva Holm",
    "Jon Vik",
    "Mia Dahl",
    "Per Aas",
)


def mill(number: int) -> tuple[str, str, str]:
    """(premise, what it supports, what it contradicts)"""
    town, person, year = TOWNS[number % 8], PEOPLE[number % 8], 1801 + number
    premise = (
        f"The mill in {town} was built in {year} by {person}. It burnt down in {year + 40}. "
        f"Its owner then was {PEOPLE[(number + 3) % 8]}, who lived in {TOWNS[(number + 5) % 8]}."
    )
    return premise, f"{person} built a mill in {town} in {year}.", f"The mill burnt in {year + 9}."


def make_data(folder: Path, count: int = 16) -> Path:
    """`folder` with train/ and dev/, `count` premises a file."""
    (folder / "train").mkdir(parents=True)
    (folder / "dev").mkdir()
    for source in SOURCES:
        people = source.name.startswith("attribution")
        found = []
        for number in range(count):
            premise, right, wrong = mill(number)
            found.append(row(premise, right, 1 if people else "entailment", number))
            found.append(row(premise, wrong, 0 if people else "contradiction", number))
        write(folder / "train" / f"{source.name}.jsonl", found)
    for name in ("attributionbench_dev", "wice_claim_dev", "qags_cnndm", "citint"):
        found = []
        for number in range(40, 52):
            premise, right, wrong = mill(number)
            found += [row(premise, right, 1, number), row(premise, wrong, 0, number)]
        write(folder / "dev" / f"{name}.jsonl", found)
    asked = [question(number) for number in range(count)]
    write(folder / "train" / "qa_squad_train_part.jsonl", asked[::2])
    write(folder / "train" / "qa_qamr_qa.jsonl", [a | {"contiguous": True} for a in asked])
    answers = [a | {"answers": [{"text": a["answer"]}], "title": "A mill"} for a in asked]
    write(folder / "train" / "qa_qed_dev_qa.jsonl", answers[::3])
    for name in ("squad_dev-v2.0.json", "squad_dev-1.1.json"):
        paragraphs = [
            {
                "context": a["context"],
                "qas": [
                    {"question": a["question"], "answers": [{"text": a["answer"]}]},
                    {
                        "question": "When was the mill sold?", "answers": [],
                        "plausible_answers": [{"text": a["answer"]}],
                    },
                ],
            }
            for a in asked[1::2]
        ]  # fmt: skip
        file = {"data": [{"title": "Mills_of_the_north", "paragraphs": paragraphs}]}
        (folder / "train" / name).write_text(json.dumps(file), encoding="utf-8")
    return folder


def row(premise: str, hypothesis: str, label: int | str, number: int) -> dict[str, Any]:
    return {
        "premise": premise, "hypothesis": hypothesis, "label": label,
        "group": f"g{number} {label}",
    }  # fmt: skip


def question(number: int) -> dict[str, Any]:
    premise, _, _ = mill(number + 20)
    return {
        "context": premise, "question": "When was the mill built?", "answer": str(1821 + number),
    }  # fmt: skip


def write(path: Path, found: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(each) + "\n" for each in found), encoding="utf-8")
