"""Outputs of retrieval-augmented generation: `{"question": …, "contexts": […], "answer": …}`.

Each line is a passage: the answer is its text, the question its context. The tools that write such
lines have other names for the three, which are in `NAMES`. The contexts and every other key
go to `source` unchanged; `rag_lines` puts the line together again.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.importing.fields import make_row
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
    for field, known in NAMES.items():
        if field not in names:
            fix = f"add it, as {known[0]} or as {known[1]}"
            raise Fault(f"there is no {known[0]}", fix, field=known[0])
    question = row[names["question"]]
    if not isinstance(question, str):
        problem = f"{names['question']} is {kind_of(question)}"
        raise Fault(
            problem, "write the question in quotes", field=names["question"],
            value=shortened(question),
        )  # fmt: skip
    _check_contexts(names["contexts"], row[names["contexts"]])
    told = {**names, "own": row[LINE_NAMES]} if LINE_NAMES in row else names
    taken = {names["question"], names["answer"], LINE_NAMES}
    yield make_row(
        line,
        external_id=row.get("id"),
        text=row[names["answer"]],
        context=question,
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


def _check_contexts(name: str, given: Any) -> None:
    if not isinstance(given, list):
        fix = 'write a list: ["…", {"title": "…", "text": "…"}]'
        problem = f"{name} is {kind_of(given)}, not a list"
        raise Fault(problem, fix, field=name, value=shortened(given))
    for number, each in enumerate(given):
        if not (isinstance(each, str) or (isinstance(each, dict) and has_text(each))):
            problem = "it has no text" if isinstance(each, dict) else f"it is {kind_of(each)}"
            fix = 'write the source\'s text, as "…" or as {"title": "…", "text": "…"}'
            raise Fault(problem, fix, field=f"{name}[{number}]", value=shortened(each))


def is_line(source: Mapping[str, Any]) -> bool:
    """Whether a passage with this source came as a line of this format."""
    names = source.get(LINE_NAMES)
    return isinstance(names, dict) and all(isinstance(names.get(each), str) for each in NAMES)


def contexts_name(source: Mapping[str, Any]) -> str:
    """The key of the contexts in such a source."""
    return str(source[LINE_NAMES]["contexts"])
