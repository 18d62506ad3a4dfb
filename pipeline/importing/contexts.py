"""Outputs of retrieval-augmented generation: `{"question": …, "contexts": […], "answer": …}`.

Each line is a passage: the answer is its text, the question its context. The tools that write such
lines have other names for the three, which are in `NAMES`. The contexts and every other key
go to `source` unchanged; `runs.rag_answers` puts the line together again.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from pipeline.importing.fields import make_row, validate
from pipeline.importing.lines import kind_of, read_rows
from pipeline.importing.rows import Fault, PassageRow, RowError, shortened
from pipeline.importing.sources import has_text

NAMES = {
    "question": ("question", "user_input", "query", "input", "prompt"),
    "contexts": (
        "contexts", "retrieved_contexts", "retrieved_context", "retrieval_context",
        "source_documents", "docs", "documents", "passages", "context",
    ),
    "answer": (
        "answer", "response", "actual_output", "output", "result", "generated_answer", "prediction",
    ),
}  # fmt: skip
"""What a line may call each field, the likeliest first.

RAGAS (`user_input`, `retrieved_contexts`, `response`; `question`, `contexts`, `answer` in older
ones), DeepEval (`input`, `retrieval_context`, `actual_output`), RAGChecker (`query`,
`retrieved_context`, `response`), LangChain (`query`, `source_documents`, `result`), ALCE's items
one a line (`question`, `docs`, `output`).
"""
LINE_NAMES = "line_names"
"""Where `source` keeps what the line calls the three fields; a passage with it came as such a line.
A line's own key of that name stands in it as `own`."""


def _check_context(given: Any) -> Any:
    if isinstance(given, str) or (isinstance(given, dict) and has_text(given)):
        return given
    problem = "it has no text" if isinstance(given, dict) else f"it is {kind_of(given)}"
    fix = 'write the source\'s text, as "…" or as {"title": "…", "text": "…"}'
    raise Fault(problem, fix, value=shortened(given))


class _Line(BaseModel):
    question: str
    contexts: list[Annotated[Any, AfterValidator(_check_context)]] = Field(fail_fast=True)
    answer: Any


FIXES = {
    "question.string_type": "write the question in quotes",
    "contexts.list_type": 'write a list: ["…", {"title": "…", "text": "…"}]',
    **{f"{field}.missing": f"add it, as {names[0]} or as {names[1]}"
       for field, names in NAMES.items()},
}  # fmt: skip


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether a line with these keys is one: it has all three fields, the contexts in a list.

    >>> is_row({"user_input": "Why?", "retrieved_contexts": ["So."], "response": "So it is."})
    True
    >>> is_row({"question": "Why?", "context": "So.", "answer": "So it is."})
    False
    """
    names = names_of(row)
    return names.keys() == NAMES.keys() and isinstance(row[names["contexts"]], list)


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A passage for each line. All three fields are required; the list of contexts may be empty."""
    return read_rows(path, _rows)


def _rows(line: int, row: dict[str, Any]) -> Iterator[PassageRow]:
    names = names_of(row)
    given = {field: row[name] for field, name in names.items()}
    validate(_Line, given, fixes=FIXES, names=names)
    told = {**names, "own": row[LINE_NAMES]} if LINE_NAMES in row else names
    taken = {names["question"], names["answer"], LINE_NAMES}
    yield make_row(
        line,
        external_id=row.get("id"),
        text=given["answer"],
        context=given["question"],
        source={
            LINE_NAMES: told,
            **{key: value for key, value in row.items() if key not in taken},
        },
        names=("id", names["answer"], names["question"]),
    )


def names_of(row: Mapping[str, Any]) -> dict[str, str]:
    """The line's own name of each field that it has; of several keys for the contexts a list."""
    found = {}
    for field, known in NAMES.items():
        there = [name for name in known if name in row]
        lists = [name for name in there if isinstance(row[name], list)]
        if there:
            found[field] = ((field == "contexts" and lists) or there)[0]
    return found


def is_line(source: Mapping[str, Any]) -> bool:
    """Whether a passage with this source came as a line of this format."""
    names = source.get(LINE_NAMES)
    return isinstance(names, dict) and all(isinstance(names.get(each), str) for each in NAMES)


def contexts_name(source: Mapping[str, Any]) -> str:
    """The key of the contexts in such a source."""
    return str(source[LINE_NAMES]["contexts"])
