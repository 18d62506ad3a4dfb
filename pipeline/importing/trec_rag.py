"""Answers of the TREC RAG track: parts of text that cite references by their places.

Each line is a passage. Its text is the parts, one after the other, each with the places of its
citations as `[n]`: the first reference is [1]. Its context is the topic. Read are the two
years' formats (trec-rag.github.io, guidelines of 19 July 2024 and 28 July 2025):

- 2024: `run_id`, `topic_id`, `topic`, `references` (ids of segments), `response_length` (words),
  `answer`: `[{"text", "citations"}]`, where a citation is a place in `references`, from 0;
- 2025: `metadata` (`team_id`, `run_id`, `type`, `narrative_id`, `narrative`, `prompt`) in place of
  the first three, no `response_length`; a citation is a place (format 1) or an id (format 2).

Neither has the texts of the references. They are taken from an object `documents` of the line, by
id, as the track's judges pass it on, or from references that are objects themselves. The whole line
goes to `source` unchanged.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from pipeline.importing.fields import TextOrNumber, make_row, validate
from pipeline.importing.lines import kind_of, read_rows
from pipeline.importing.rows import Fault, PassageRow, RowError, shortened
from pipeline.importing.sources import Source, read_source, source_id

MAX_PLACE = 1_000_000_000
"""A larger number is no place: thousands of figures could not even be written."""


def _check_reference(given: Any) -> Any:
    if isinstance(given, bool) or not isinstance(given, str | int | dict):
        fix = "write the segment's id in quotes"
        raise Fault(f"it is {kind_of(given)}", fix, value=shortened(given))
    return given


class _Part(BaseModel):
    text: str
    citations: list[Any] | None = None


class _Metadata(BaseModel):
    run_id: TextOrNumber = None
    narrative_id: TextOrNumber = None
    narrative: Any = None


class _Line(BaseModel):
    run_id: TextOrNumber = None
    topic_id: TextOrNumber = None
    metadata: _Metadata | None = None
    references: list[Annotated[Any, AfterValidator(_check_reference)]] = Field(fail_fast=True)
    answer: list[_Part] = Field(fail_fast=True, min_length=1)
    documents: dict[str, Any] | list[Any] | None = None


FIXES = {
    "references": "write the list of the segments' ids",
    "answer": 'write a list: [{"text": "…", "citations": [0]}]',
    "answer.text": "write the part's text in quotes",
    "answer.citations": "write a list of places in references, from 0",
    "list_type": "write a list",
    "model_type": "write an object in braces",
    "dict_type": 'write {"ID": {"text": "…"}}',
    "too_short": "add a part, or take the line out",
}


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether a line with these keys is one: its answer and its references are lists.

    >>> is_row({"references": ["s1"], "answer": [{"text": "So.", "citations": [0]}]})
    True
    >>> is_row({"references": ["a source"], "answer": "So."})
    False
    """
    return isinstance(row.get("references"), list) and isinstance(row.get("answer"), list)


def is_line(source: Mapping[str, Any]) -> bool:
    """Whether a passage with this source came as a line of this format."""
    return is_row(source) and all(map(_is_part, source["answer"]))


def _is_part(part: Any) -> bool:
    return (
        isinstance(part, dict)
        and isinstance(part.get("text"), str)
        and isinstance(part.get("citations") or [], list)
    )


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A passage for each line. A place outside of `references` stays a mark that cites nothing."""
    return read_rows(path, _rows)


def _rows(line: int, row: dict[str, Any]) -> Iterator[PassageRow]:
    found = validate(_Line, row, fixes=FIXES)
    parts = parts_of(row)
    metadata = found.metadata or _Metadata()
    of_2025 = "topic" not in row
    names = [found.run_id or metadata.run_id, found.topic_id or metadata.narrative_id]
    yield make_row(
        line,
        external_id="-".join(str(each) for each in names if each not in (None, "")),
        text=" ".join(parts),
        context=metadata.narrative if of_2025 else row["topic"],
        source=row,
        names=("topic_id", "answer", "metadata.narrative" if of_2025 else "topic"),
    )


def references_of(source: Mapping[str, Any]) -> list[Source]:
    """The references of an imported answer; those that come without a text have an empty one."""
    documents = source.get("documents")
    if isinstance(documents, list):
        documents = {source_id(each): each for each in documents if isinstance(each, dict)}
    documents = documents if isinstance(documents, dict) else {}
    found = []
    for number, each in enumerate(source["references"], start=1):
        given = documents.get(source_id(each), each if isinstance(each, dict) else None)
        if isinstance(given, str):
            given = {"text": given}
        read = read_source(number, {"docid": source_id(each), **(given or {})})
        if read is not None:
            found.append(read)
    return found


def with_marks(text: str, numbers: list[int]) -> str:
    """The text with its citations before the punctuation that ends it.

    >>> with_marks("It fell.", [1, 3]), with_marks("It fell", [2]), with_marks("Why?", [])
    ('It fell [1][3].', 'It fell [2]', 'Why?')
    """
    if not numbers:
        return text
    body = text.rstrip("\"'”’»)").rstrip(".!?…") or text
    return f"{body} {''.join(f'[{number}]' for number in numbers)}{text[len(body) :]}"


def parts_of(source: Mapping[str, Any]) -> list[str]:
    """The parts of an answer as its text has them, with their marks.

    Raises a `Fault` for a citation that is neither a place nor the id of a reference.
    """
    places: dict[str, int] = {}
    for place, each in enumerate(source["references"]):
        places.setdefault(source_id(each), place)
    parts = []
    for number, part in enumerate(source["answer"]):
        cited = [
            _place(each, places, field=f"answer[{number}].citations[{at}]") + 1
            for at, each in enumerate(part.get("citations") or [])
        ]
        text = part["text"].strip()
        if text:
            parts.append(with_marks(text, cited))
    return parts


def _place(given: Any, places: Mapping[str, int], *, field: str) -> int:
    is_number = isinstance(given, int) and not isinstance(given, bool)
    if is_number and 0 <= given < MAX_PLACE:
        return int(given)
    if isinstance(given, str) and given in places:
        return places[given]
    told = "it is no id of references" if isinstance(given, str) else f"it is {kind_of(given)}"
    if is_number:
        told = "it is below 0" if given < 0 else "it is larger than any list of references"
    fix = "write a place in references, from 0, or an id that stands there"
    raise Fault(told, fix, field=field, value=shortened(given))
