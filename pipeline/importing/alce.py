"""ALCE's items: those of a run's output, and of its human study.

Each output is a passage with the question as context. Its source has the item's other keys.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec
from pydantic import BaseModel

from pipeline.importing.fields import TextOrNumber, make_row, validate
from pipeline.importing.hagrid import ImportedAnswer
from pipeline.importing.passage import Gold, Source
from pipeline.importing.rows import Fault, PassageRow
from pipeline.rarr.types import Evidence

IDS = ("sample_id", "id", "question_id", "qid")
MAX_DOCS = 1_000
_MARK = re.compile(r"\[(\d{1,4})")


class _AlceDocument(BaseModel):
    text: str


class _Item(BaseModel):
    question: str
    docs: list[_AlceDocument] | None = None


FIXES = {
    "question": "write the question in quotes",
    "docs.text": "write the document's text",
    "list_type": "write a list of objects",
    "model_type": "write an object in braces",
}


def rows(line: int, item: dict[str, Any]) -> Iterator[PassageRow]:
    """Read a passage for each output of an item."""
    validate(_Item, item, fixes=FIXES)
    given = item.get("output")
    outputs = given if isinstance(given, list) and given else [given]
    id_name = next((name for name in IDS if item.get(name) not in (None, "")), IDS[0])
    name = item.get(id_name)
    rest = {key: value for key, value in item.items() if key not in {"question", "output"}}
    if "docs" not in rest and (docs := _cited_docs(item.get("sentences"))):
        rest["docs"] = docs
    for number, output in enumerate(outputs, start=1):
        several = f"-{number}" if len(outputs) > 1 else ""
        yield make_row(
            line,
            external_id=f"{name}{several}" if several and name is not None else name,
            text=output,
            context=item["question"],
            fields=rest,
            format="alce",
            names=(id_name, "output", "question"),
        )


def data_item(passage: ImportedAnswer) -> dict[str, Any]:
    """Return an item of ALCE's data, with the passage's text, if any, as its output."""
    source, item = passage.source, dict[str, Any]()
    if passage.format in {"alce", "questions"}:
        unused = {"query", "query_id", "question", "quotes"}
        item = {key: value for key, value in source.extra.items() if key not in unused}
    elif source.gold:
        item = msgspec.to_builtins(source.gold)
    if "docs" not in item and (numbered := {each.number: each for each in source.numbered}):
        docs = (
            numbered.get(number, Source(number=number)) for number in range(1, max(numbered) + 1)
        )
        item["docs"] = [{"title": each.title, "text": each.text} for each in docs]
    name = {} if any(item.get(each) for each in IDS) else {"sample_id": passage.external_id}
    output = {"output": passage.text} if passage.text else {}
    return {**name, "question": passage.context, **item, **output}


def _cited_docs(sentences: Any) -> list[dict[str, Any]]:
    """Return the documents that the sentences of ALCE's human study cite, by number.

    A document that no sentence cites has no text.
    """
    docs: dict[int, dict[str, Any]] = {}
    for each in sentences if isinstance(sentences, list) else []:
        if not isinstance(each, dict) or not isinstance(each.get("citations"), list):
            continue
        numbers = map(int, _MARK.findall(str(each.get("text"))))
        for number, citation in zip(dict.fromkeys(numbers), each["citations"], strict=False):
            if isinstance(citation, dict) and 0 < number <= MAX_DOCS:
                docs[number] = {name: citation.get(name) or "" for name in ("title", "text")}
    return [
        docs.get(number, {"title": "", "text": ""}) for number in range(1, max(docs, default=0) + 1)
    ]


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


def answer_of(item: dict[str, Any]) -> AlceAnswer:
    """Raises `Fault`."""
    answer = validate(AlceAnswer, item, fixes=ANSWER_FIXES)
    for number, each in enumerate(answer.docs or []):
        if each.text is None and each.sent is None:
            raise Fault("there is no text", "write the document's text", field=f"docs[{number}]")
    return answer


def guess_dataset(answers: list[AlceAnswer]) -> Dataset | None:
    fields: dict[Dataset, str] = {"qampari": "answers", "eli5": "claims", "asqa": "qa_pairs"}
    for dataset, field in fields.items():
        if any(getattr(each, field) for each in answers):
            return dataset
    return None
