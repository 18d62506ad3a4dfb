"""Answers of an ALCE run for scoring."""

from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Literal

import msgspec
from pydantic import BaseModel

from pipeline.importing.alce import read_items
from pipeline.importing.fields import TextOrNumber, validate
from pipeline.importing.lines import check_object, rows_of_lines
from pipeline.importing.passage import Gold, Source
from pipeline.importing.rows import Fault, RowError
from pipeline.rarr.types import Evidence

Dataset = Literal["asqa", "qampari", "eli5"]
DATASETS: tuple[Dataset, ...] = ("asqa", "qampari", "eli5")
_ONE_LINE = {ord(end): " " for end in "\r\n"}
_SEVERAL = "choose one output of each, as ALCE's rerank_outputs.py does"
FIXES = {
    "missing": "add it",
    "string_type": "write a text in quotes",
    "list_type": "write a list",
    "model_type": "write an object in braces",
    "output.string_type": f"write one text in quotes; where there are several, {_SEVERAL}",
}


class _AnswerDocument(BaseModel):
    title: str | None = None
    text: str | None = None
    sent: str | None = None


class _QaPair(BaseModel):
    question: str = ""
    short_answers: list[str]


class _Annotation(BaseModel):
    long_answer: str


class AlceAnswer(BaseModel):
    """An output with its documents and the fields of `Gold`."""

    sample_id: TextOrNumber = None
    question: str
    output: str
    docs: list[_AnswerDocument] | None = None
    answer: str | None = None
    annotations: list[_Annotation] | None = None
    qa_pairs: list[_QaPair] | None = None
    answers: list[list[str]] | None = None
    claims: list[str] | None = None

    @property
    def passages(self) -> list[str]:
        """Documents as the entailment model reads them, in order of citation numbers."""
        return [
            f"Title: {each.title or ''}\n{each.text if each.sent is None else each.sent}"
            for each in self.docs or []
        ]

    @property
    def references(self) -> list[str]:
        """At most two texts to compare the wording with."""
        if self.annotations:
            return [each.long_answer for each in self.annotations[:2]]
        return [self.answer] if self.answer else []


def alce_answer(
    *,
    question: str,
    output: str,
    sources: Iterable[Evidence | Source],
    gold: Gold | None,
    is_alce: bool = False,
) -> AlceAnswer:
    """Build an answer for ALCE's evaluation, which reads one line.

    Unless `is_alce`, line breaks become spaces, and sources count whole.
    """
    docs = [
        _AnswerDocument(
            title=each.title,
            text=each.text,
            sent=each.sent if is_alce and isinstance(each, Source) else None,
        )
        for each in sources
    ]
    output = output if is_alce else output.translate(_ONE_LINE)
    item = {
        "question": question,
        "output": output,
        "docs": docs,
        **msgspec.to_builtins(gold or Gold()),
    }
    return AlceAnswer.model_validate(item)


def read_answers(path: Path) -> Iterator[AlceAnswer | RowError]:
    """Read each item of `data`; the field of an error has the index from 0."""
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
    fields: dict[Dataset, str] = {"qampari": "answers", "eli5": "claims", "asqa": "qa_pairs"}
    for dataset, field in fields.items():
        if any(getattr(each, field) for each in answers):
            return dataset
    return None


def _answer(item: Any) -> AlceAnswer:
    answer = validate(AlceAnswer, check_object(item), fixes=FIXES)
    for number, each in enumerate(answer.docs or []):
        if each.text is None and each.sent is None:
            raise Fault("there is no text", "write the document's text", field=f"docs[{number}]")
    return answer
