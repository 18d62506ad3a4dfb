"""HAGRID's lines: a question, its quotes, and labelled answers.

Each answer is a passage with the question as context and the id `<query_id>-<number from 1>`. The
source has the line's other keys and, as `answer`, the answer's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from pydantic import AfterValidator, Field

from pipeline.importing import questions
from pipeline.importing.fields import TextOrNumber, make_row, validate
from pipeline.importing.passage import PassageSource, Unit
from pipeline.importing.passage_rows import GOLD_ANSWERS, hash_of, without_part
from pipeline.importing.rows import Fault, PassageRow, content_id, shortened


def _check_label(value: Any) -> int | None:
    if value is None:
        return None
    if value in (0, 1):
        return int(value)
    raise Fault("{name} is neither 1, 0 nor null", "write 1, 0 or null", value=shortened(value))


Label = Annotated[Any, AfterValidator(_check_label)]
"""1, 0 or null; a missing label is null."""


@dataclass(slots=True)
class _HagridQuote:
    text: str


@dataclass(slots=True)
class _Sentence:
    text: str
    index: Any = None
    informative: Label = None
    attributable: Label = None


@dataclass(slots=True)
class HagridAnswer:
    informative: Label = None
    attributable: Label = None
    sentences: Annotated[list[_Sentence] | None, Field(fail_fast=True)] = None


@dataclass(slots=True)
class _HagridLine:
    """Its lists may have millions of elements, so they fail fast."""

    query: str
    answers: Annotated[list[HagridAnswer], Field(fail_fast=True)]
    query_id: TextOrNumber = None
    quotes: Annotated[list[_HagridQuote] | None, Field(fail_fast=True)] = None


OF_LINE = "line_answer"
"""Replaces a line's own key `answer` in the source."""

FIXES = {
    "query": "write the question in quotes",
    "quotes.text": "write the quote's text",
    "answers.sentences.text": "write the sentence",
    "answers.missing": "write a list of objects",
    "list_type": "write a list of objects",
    "dataclass_type": "write an object in braces",
}


def rows(line: int, row: dict[str, Any]) -> Iterator[PassageRow | Fault]:
    """Read a passage for each answer, or a question without answers."""
    checked = validate(_HagridLine, row, fixes=FIXES)
    if not checked.answers:
        yield from questions.rows(line, row)
        return
    name = checked.query_id
    if name in (None, ""):
        # The whole line, since questions may be repeated.
        name = content_id(hash_of(without_part(row)))
    shared = {
        OF_LINE if key == "answer" else key: value
        for key, value in row.items()
        if key not in {"query", "answers"}
    }
    answers = zip(row["answers"], checked.answers, strict=True)
    for number, (answer, labels) in enumerate(answers, start=1):
        rest = {key: value for key, value in answer.items() if key != "answer"}
        try:
            yield make_row(
                line,
                external_id=f"{name}-{number}",
                text=answer.get("answer"),
                context=row["query"],
                fields=shared | {"answer": rest},
                format="hagrid",
                **annotations_of(labels),
                names=("query_id", f"answers[{number - 1}].answer", "query"),
            )
        except Fault as fault:
            yield fault


def annotations_of(answer: HagridAnswer) -> dict[str, Any]:
    """Return the labels as arguments of `passage_row`."""
    return {
        "informative": answer.informative,
        "attributable": answer.attributable,
        "units": [
            Unit(
                index=each.index if isinstance(each.index, int) else None,
                informative=each.informative,
                attributable=each.attributable,
            )
            for each in answer.sentences or []
        ],
        "units_at": ("answer", "sentences") if answer.sentences else (),
    }


class ImportedAnswer(Protocol):
    """A row or a stored passage."""

    @property
    def external_id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def context(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def source(self) -> PassageSource: ...


def line_key(external_id: str, format: str) -> str:  # noqa: A002
    """Return a key that answers of one line share; the id for other formats."""
    return external_id.rpartition("-")[0] if format == "hagrid" else external_id


def line_of(answers: Sequence[ImportedAnswer]) -> dict[str, Any]:
    """Restore the line of answers that share a `line_key`.

    Other formats give a line with one answer and all other fields; bare questions have no answer.
    """
    first = answers[0]
    is_hagrid = first.format == "hagrid"
    shared = {**first.source.extra}
    if is_hagrid:
        del shared["answer"]
        if OF_LINE in shared:
            shared["answer"] = shared.pop(OF_LINE)
    else:
        if shared.get("query_id") is None:
            shared["query_id"] = first.external_id
        shared["quotes"] = shared.get("quotes") or []
    head: dict[str, Any] = {key: shared.pop(key) for key in ("query_id", "quotes") if key in shared}
    query = shared.pop("query", "")
    lines = [
        {"answer": each.text, **(each.source.extra["answer"] if is_hagrid else {})}
        for each in answers
        if each.text
    ]
    if gold := shared.pop("answers", None):
        shared[GOLD_ANSWERS] = gold
    return {"query": first.context or query, **head, "answers": lines, **shared}
