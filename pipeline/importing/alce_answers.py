"""Answers of an ALCE run with all that they are scored by: documents, short answers, claims.

The file is that of `importing.alce`; what is read here follows the reference's own data files.
"""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from pipeline.importing.alce import read_items
from pipeline.importing.fields import TextOrNumber, validate
from pipeline.importing.lines import check_object, rows_of_lines
from pipeline.importing.rows import Fault, RowError

Dataset = Literal["asqa", "qampari", "eli5"]
DATASETS: tuple[Dataset, ...] = ("asqa", "qampari", "eli5")
_SEVERAL = "choose one output of each, as ALCE's rerank_outputs.py does"
FIXES = {
    "missing": "add it",
    "string_type": "write a text in quotes",
    "list_type": "write a list",
    "model_type": "write an object in braces",
    "output.string_type": f"write one text in quotes; where there are several, {_SEVERAL}",
}


class _Document(BaseModel):
    title: str | None = None
    text: str | None = None
    sent: str | None = None


class _QaPair(BaseModel):
    question: str = ""
    short_answers: list[str]


class _Annotation(BaseModel):
    long_answer: str


class AlceAnswer(BaseModel):
    """One item: an output, the documents that it may cite, and what is right."""

    sample_id: TextOrNumber = None
    question: str
    output: str
    docs: list[_Document] | None = None
    answer: str | None = None
    annotations: list[_Annotation] | None = None
    """ASQA's long answers."""
    qa_pairs: list[_QaPair] | None = None
    """ASQA's short answers."""
    answers: list[list[str]] | None = None
    """QAMPARI's: the ways to write each."""
    claims: list[str] | None = None
    """ELI5's."""

    @property
    def passages(self) -> list[str]:
        """Each document as the entailment model reads it; the first one is cited as [1]."""
        return [
            f"Title: {each.title or ''}\n{each.text if each.sent is None else each.sent}"
            for each in self.docs or []
        ]

    @property
    def references(self) -> list[str]:
        """What the output is compared with by its wording: at most two texts."""
        if self.annotations:
            return [each.long_answer for each in self.annotations[:2]]
        return [self.answer] if self.answer else []


def read_answers(path: Path) -> Iterator[AlceAnswer | RowError]:
    """Each item of `data`, or what is wrong with it; a field is named with its item, from 0."""
    numbers = count()

    def answers(line: int, item: Any) -> list[AlceAnswer]:
        number = next(numbers)
        try:
            return [_answer(item)]
        except Fault as fault:
            fault.field = f"data[{number}].{fault.field}".rstrip(".")
            raise

    return rows_of_lines(read_items(path), answers, name=path.name)


def guess_dataset(answers: list[AlceAnswer]) -> Dataset | None:
    """Whose answers they are, by the fields that only one dataset has."""
    fields: tuple[tuple[Dataset, str], ...] = (
        ("qampari", "answers"), ("eli5", "claims"), ("asqa", "qa_pairs"),
    )  # fmt: skip
    for dataset, field in fields:
        if any(getattr(each, field) for each in answers):
            return dataset
    return None


def _answer(item: Any) -> AlceAnswer:
    found = validate(AlceAnswer, check_object(item), fixes=FIXES)
    for number, each in enumerate(found.docs or []):
        if each.text is None and each.sent is None:
            raise Fault("there is no text", "write the document's text", field=f"docs[{number}]")
    return found
