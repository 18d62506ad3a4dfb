"""HAGRID's lines: a question, quotes for it, and answers that people have labelled.

Each answer of a line becomes a passage: its text is the answer, its context the question, its id
`<query_id>-<number of the answer, from 1>`. The rest of the line goes to `source` unchanged:
`query_id`, `quotes`, and under `answer` what the file says of this answer (type, labels,
sentences with their labels).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from pipeline.importing.fields import TextOrNumber, make_row, validate
from pipeline.importing.lines import read_rows
from pipeline.importing.rows import Fault, PassageRow, RowError, shortened


def _check_label(value: Any) -> Any:
    if value is not None and (isinstance(value, str | list | dict) or value not in (0, 1)):
        problem = "{name} is neither 1, 0 nor null"
        raise Fault(problem, "write 1, 0 or null", value=shortened(value))
    return value


Label = Annotated[Any, AfterValidator(_check_label)]
"""1, 0 or null, for an answer and for each of its sentences; a missing label is null."""


class _Quote(BaseModel):
    text: str


class _Sentence(_Quote):
    informative: Label = None
    attributable: Label = None


class _Answer(BaseModel):
    informative: Label = None
    attributable: Label = None
    sentences: list[_Sentence] | None = Field(None, fail_fast=True)


class _Line(BaseModel):
    """Its lists fail fast: they may have millions of elements, and only the first error is told."""

    query_id: TextOrNumber = None
    query: str
    quotes: list[_Quote] | None = Field(None, fail_fast=True)
    answers: list[_Answer] = Field(fail_fast=True, min_length=1)


FIXES = {
    "query": "write the question in quotes",
    "quotes.text": "write the quote's text",
    "answers.sentences.text": "write the sentence",
    "answers.missing": "write a list of objects",
    "list_type": "write a list of objects",
    "model_type": "write an object in braces",
    "too_short": "add one, or take the line out",
}


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A passage for each answer. `query` and `answers` are required; labels may be null."""
    return read_rows(path, _rows)


def _rows(line: int, row: dict[str, Any]) -> Iterator[PassageRow | Fault]:
    validate(_Line, row, fixes=FIXES)
    query_id = row.get("query_id")
    shared = {key: value for key, value in row.items() if key not in {"query", "answers"}}
    for number, answer in enumerate(row["answers"], start=1):
        rest = {key: value for key, value in answer.items() if key != "answer"}
        try:
            yield make_row(
                line,
                # A line without a query id gets its passages' ids from their texts.
                external_id=None if query_id in (None, "") else f"{query_id}-{number}",
                text=answer.get("answer"),
                context=row["query"],
                source=shared | {"answer": rest},
                names=("query_id", f"answers[{number - 1}].answer", "query"),
            )
        except Fault as fault:
            yield fault
