"""HAGRID's lines: a question, quotes for it, and answers that people have labelled.

Each answer of a line becomes a passage: its text is the answer, its context the question, its id
`<query_id>-<number of the answer, from 1>`. The rest of the line goes to `source` unchanged:
`query_id`, `quotes`, and under `answer` what the file says of this answer (type, labels,
sentences with their labels). `line_of` puts answers together to the line that they came in.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import AfterValidator, BaseModel, Field

from pipeline.importing.fields import TextOrNumber, content_id, make_row, validate
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


OF_LINE = "line_answer"
"""Where `source` keeps a line's own key `answer`, whose place the answer's labels take."""
_NUMBERED = re.compile(r"(.+)-\d{1,7}", re.DOTALL)

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
    name = row.get("query_id")
    if name in (None, ""):
        # By the whole line, for a file may ask one question again and again.
        texts = [answer.get("answer") for answer in row["answers"]]
        asked = json.dumps([row["query"], row.get("quotes")], sort_keys=True)
        name = content_id(json.dumps(texts), asked)
    shared = {
        OF_LINE if key == "answer" else key: value
        for key, value in row.items()
        if key not in {"query", "answers"}
    }
    for number, answer in enumerate(row["answers"], start=1):
        rest = {key: value for key, value in answer.items() if key != "answer"}
        try:
            yield make_row(
                line,
                external_id=f"{name}-{number}",
                text=answer.get("answer"),
                context=row["query"],
                source=shared | {"answer": rest},
                names=("query_id", f"answers[{number - 1}].answer", "query"),
            )
        except Fault as fault:
            yield fault


class Answer(Protocol):
    """A passage, as it was imported or as it is stored."""

    @property
    def external_id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def context(self) -> str: ...
    @property
    def source(self) -> Mapping[str, Any]: ...


def line_key(external_id: str, source: Mapping[str, Any]) -> str:
    """The same for the answers of one line; the id itself for what came in another format.

    >>> labels = {"attributable": 1}
    >>> line_key("7-2", {"query_id": 7, "answer": labels}), line_key("7-2", {"answer": labels})
    ('7', '7-2')
    """
    return external_id.rpartition("-")[0] if is_answer(external_id, source) else external_id


def is_answer(external_id: str, source: Mapping[str, Any]) -> bool:
    """Whether a passage with this id and this source came out of a HAGRID line.

    Lines of other formats may have an object under `answer` too, so the id must be the one that
    `read` makes.
    """
    numbered = _NUMBERED.fullmatch(external_id)
    if numbered is None or not isinstance(source.get("answer"), dict):
        return False
    query_id = source.get("query_id")
    if query_id in (None, ""):
        return numbered[1].startswith("sha-")
    return numbered[1] == str(query_id).lstrip()


def line_of(answers: Sequence[Answer]) -> dict[str, Any]:
    """The line that the answers came in, which all have one `line_key`; theirs is the order.

    A passage of another format becomes a line with one answer, whatever came with it beside them,
    and a bare question one without.
    """
    name, source = answers[0].external_id, answers[0].source
    if is_answer(name, source):
        shared = {key: value for key, value in source.items() if key not in {"answer", OF_LINE}}
        if OF_LINE in source:
            shared["answer"] = source[OF_LINE]
    else:
        shared = {**source, "query_id": name, "quotes": source.get("quotes") or []}
    first: dict[str, Any] = {
        key: shared.pop(key) for key in ("query_id", "quotes") if key in shared
    }
    query = shared.pop("query", "")  # not the context where the line had both, or was a dialog
    told = [
        {
            "answer": each.text,
            **(each.source["answer"] if is_answer(each.external_id, each.source) else {}),
        }
        for each in answers
        if each.text
    ]
    shared.pop("answers", None)  # the right ones of a bare question
    return {"query": answers[0].context or query, **first, "answers": told, **shared}
