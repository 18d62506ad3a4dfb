"""ALCE's run output: an object whose list `data` has questions, documents and outputs.

Each output is a passage with the question as context. Its source has the item's other keys and the
`model` of `args`, if that precedes `data`. A list alone is read as `data`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, Literal

import msgspec
from pydantic import BaseModel

from pipeline.importing.fields import TextOrNumber, make_row, validate
from pipeline.importing.lines import DECODER, check_characters, check_object, rows_of_lines
from pipeline.importing.passage import Gold, Source
from pipeline.importing.rows import Fault, PassageRow, RowError
from pipeline.rarr.types import Evidence

MAX_BYTES = 200_000_000
"""The whole file is in memory: ten thousand answers with a dozen documents each."""
_HEAD = re.compile(rb'\s*\{\s*"(?:args|data)"\s*:')
_BETWEEN = re.compile(r"[\s,:]*")


class _AlceDocument(BaseModel):
    text: str


class _Item(BaseModel):
    sample_id: TextOrNumber = None
    question: str
    docs: list[_AlceDocument] | None = None


FIXES = {
    "question": "write the question in quotes",
    "docs.text": "write the document's text",
    "list_type": "write a list of objects",
    "model_type": "write an object in braces",
}


def is_output(path: Path) -> bool:
    with path.open("rb") as file:
        return _HEAD.match(file.read(4096).removeprefix(b"\xef\xbb\xbf")) is not None


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """Read a passage for each output, with the line of its item."""
    model: dict[str, str] = {}
    return rows_of_lines(
        read_items(path, model),
        lambda line, item: _rows(line, check_object(item), model),
        name=path.name,
    )


def _rows(line: int, item: dict[str, Any], model: Mapping[str, str]) -> Iterator[PassageRow]:
    validate(_Item, item, fixes=FIXES)
    given = item.get("output")
    outputs = given if isinstance(given, list) and given else [given]
    name = item.get("sample_id")
    rest = {key: value for key, value in item.items() if key not in {"question", "output"}}
    for number, output in enumerate(outputs, start=1):
        several = f"-{number}" if len(outputs) > 1 else ""
        yield make_row(
            line,
            external_id=None if name in (None, "") else f"{name}{several}",
            text=output,
            context=item["question"],
            fields={**model, **rest},
            format="alce",
            names=("sample_id", "output", "question"),
        )


def read_items(path: Path, model: dict[str, str] | None = None) -> Iterator[tuple[int, Any]]:
    """Read each item of `data` with its line, after putting the run's model into `model`.

    Raises `Fault` for an error in the whole file.
    """
    if path.stat().st_size > MAX_BYTES:
        problem = f"the file is larger than {MAX_BYTES // 1_000_000} MB"
        raise Fault(problem, "split its data into several files")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Fault("the file is not UTF-8 text", "save it as UTF-8") from None
    check_characters(text)
    key, at = None, _skip(text, 0)
    if text.startswith("{", at):
        at = _skip(text, at + 1)
        while key != "data" and text.startswith('"', at):
            key, at = _value(text, at)
            if key == "args" and model is not None:
                args, at = _value(text, at)
                if isinstance(args, dict) and args.get("model") and isinstance(args["model"], str):
                    model["model"] = args["model"]
            elif key != "data":
                at = _value(text, at)[1]
    if not text.startswith("[", at):
        fix = (
            'write {"args": {…}, "data": [{"question": "…", "output": "…", "docs": […]}]}, or '
            "another format of docs/formats.md"
        )
        raise Fault("the file has no list `data`", fix)
    at = _skip(text, at + 1)
    line, counted = 1, 0
    while not text.startswith("]", at):
        line, counted = line + text.count("\n", counted, at), at
        item, at = _value(text, at)
        yield line, item


def _skip(text: str, at: int) -> int:
    return _BETWEEN.match(text, at).end()  # type: ignore[union-attr]


def _value(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value at `at`, and the position of the next one."""
    try:
        value, end = DECODER.raw_decode(text, at)
    except (ValueError, RecursionError) as error:
        line = text.count("\n", 0, at) + 1
        reason = f": {error}" if isinstance(error, Fault) else ""
        problem = f"the file is not JSON from line {line} on{reason}"
        raise Fault(problem, "export it again, or correct that line") from None
    return value, _skip(text, end)


Dataset = Literal["asqa", "qampari", "eli5"]
DATASETS: tuple[Dataset, ...] = ("asqa", "qampari", "eli5")
_ONE_LINE = {ord(end): " " for end in "\r\n"}
_SEVERAL = "choose one output of each, as ALCE's rerank_outputs.py does"
ANSWER_FIXES = {
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
    answer = validate(AlceAnswer, check_object(item), fixes=ANSWER_FIXES)
    for number, each in enumerate(answer.docs or []):
        if each.text is None and each.sent is None:
            raise Fault("there is no text", "write the document's text", field=f"docs[{number}]")
    return answer
