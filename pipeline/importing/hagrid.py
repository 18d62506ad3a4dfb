"""HAGRID's lines: a question, the quotes that bear on it, and answers with people's labels.

A line may hold several answers, and each becomes a passage: its text is the answer, its
context is the question, its id is `<query_id>-<number of the answer, from 1>`. Everything
else of the line is carried through untouched in `source`: `query_id`, `quotes`, and under
`answer` what the file says of this answer (type, labels, sentences with their labels).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.importing.fields import make_row
from pipeline.importing.lines import kind_of, read_objects
from pipeline.importing.rows import PassageRow, RowError, shortened

LABELS = ("informative", "attributable")
"""1, 0 or null, on an answer and on each of its sentences; a missing label is null."""


class _Fault(Exception):
    """What is wrong in a line, and where: the field's path, the value, the problem, the fix."""

    def __init__(self, field: str, problem: str, fix: str, value: object = "") -> None:
        super().__init__(problem)
        self.field, self.problem, self.fix, self.value = field, problem, fix, value


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A passage an answer. `query` and `answers` are needed; labels may be null or missing."""
    for item in read_objects(path):
        if isinstance(item, RowError):
            yield item
            continue
        line, row = item
        try:
            answers = _checked_answers(row)
        except _Fault as fault:
            yield RowError(
                file=path.name,
                line=line,
                field=fault.field,
                value="" if fault.value == "" else shortened(fault.value),
                problem=fault.problem,
                fix=fault.fix,
            )
            continue
        shared = {key: value for key, value in row.items() if key not in {"query", "answers"}}
        for number, answer in enumerate(answers, start=1):
            rest = {key: value for key, value in answer.items() if key != "answer"}
            yield make_row(
                file=path.name,
                line=line,
                external_id=_passage_id(row.get("query_id"), number),
                text=answer.get("answer"),
                context=row["query"],
                source=shared | {"answer": rest},
                names=("query_id", f"answers[{number - 1}].answer", "query"),
            )


def _passage_id(query_id: object, number: int) -> str | None:
    """Unique in the file where query ids are; a line without one gets an id from its texts."""
    return None if query_id is None or query_id == "" else f"{query_id}-{number}"


def _checked_answers(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    query_id = row.get("query_id")
    if isinstance(query_id, bool) or not isinstance(query_id, str | int | None):
        raise _Fault(
            "query_id",
            f"query_id is {kind_of(query_id)}",
            "write a text or a whole number",
            query_id,
        )
    if not isinstance(row.get("query"), str):
        raise _missing_or_wrong(row, "query", "query", "write the question in quotes")
    for index, quote in enumerate(_list(row, "quotes", "quotes", needed=False)):
        if not isinstance(quote.get("text"), str):
            place = f"quotes[{index}].text"
            raise _missing_or_wrong(quote, "text", place, "write the quote's text")
    answers = _list(row, "answers", "answers", needed=True)
    if not answers:
        raise _Fault("answers", "the list of answers is empty", "add one, or take the line out")
    for index, answer in enumerate(answers):
        place = f"answers[{index}]"
        _check_labels(answer, place)
        sentences = _list(answer, "sentences", f"{place}.sentences", needed=False)
        for number, sentence in enumerate(sentences):
            inner = f"{place}.sentences[{number}]"
            if not isinstance(sentence.get("text"), str):
                raise _missing_or_wrong(sentence, "text", f"{inner}.text", "write the sentence")
            _check_labels(sentence, inner)
    return answers


def _list(row: Mapping[str, Any], name: str, place: str, *, needed: bool) -> list[dict[str, Any]]:
    """The list of objects under `name`; an empty one where it is missing and may be."""
    value = row.get(name)
    if value is None and not needed:
        return []
    if not isinstance(value, list):
        raise _missing_or_wrong(row, name, place, "write a list of objects")
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            raise _Fault(
                f"{place}[{index}]", f"it is {kind_of(item)}, not an object",
                "write an object in braces", item,
            )  # fmt: skip
    return value


def _check_labels(target: Mapping[str, Any], place: str) -> None:
    for name in LABELS:
        value = target.get(name)
        if value is not None and (isinstance(value, str | list | dict) or value not in (0, 1)):
            raise _Fault(
                f"{place}.{name}", f"{name} is neither 1, 0 nor null", "write 1, 0 or null", value
            )


def _missing_or_wrong(row: Mapping[str, Any], name: str, place: str, fix: str) -> _Fault:
    if name not in row:
        return _Fault(place, f"there is no {name}", fix)
    return _Fault(place, f"{name} is {kind_of(row[name])}", fix, row[name])
