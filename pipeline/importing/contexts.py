"""RAG outputs: `{"question": …, "contexts": […], "answer": …}`, or other keys in `NAMES`.

The answer is the passage, the question its context. The source has the key `contexts`.
"""

import ast
import io
import json
import tokenize
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from pipeline.importing.fields import make_row, validate
from pipeline.importing.lines import kind_of
from pipeline.importing.passage_rows import has_text
from pipeline.importing.rows import Fault, PassageRow, shortened

_RETRIEVED = (
    "retrieved_contexts",
    "retrieved_context",
    "retrieval_context",
    "retrieved_contents",
    "source_documents",
    "source_nodes",
)
_OUTPUTS = (
    "actual_output",
    "output",
    "result",
    "generated_answer",
    "generated_texts",
    "prediction",
)
NAMES = {
    "question": ("question", "user_input", "query", "input", "prompt"),
    "contexts": ("contexts", *_RETRIEVED, "docs", "ctxs", "documents", "passages", "context"),
    "answer": ("answer", "response", *_OUTPUTS),
}
"""The keys of each field, the likeliest first.

RAGAS (`user_input`, `retrieved_contexts`, `response`; `question`, `contexts`, `answer` in older
ones), DeepEval (`input`, `retrieval_context`, `actual_output`), RAGChecker (`query`,
`retrieved_context`, `response`), LangChain (`query`, `source_documents`, `result`), ALCE's items
one a line (`question`, `docs`, `output`).
"""

FIELDS = {"text": "answer", "context": "question", "sources": "contexts"}
"""A table's field → its name in `NAMES`."""
MAX_LIST_CHARACTERS = 1_000_000
"""Of a list or object in Python's notation."""
ALL_NAMES = frozenset(name for names in NAMES.values() for name in names)


def _check_context(given: Any) -> Any:
    if isinstance(given, str) or (isinstance(given, dict) and has_text(given)):
        return given
    problem = "it has no text" if isinstance(given, dict) else f"it is {kind_of(given)}"
    fix = 'write the source\'s text, as "…" or as {"title": "…", "text": "…"}'
    raise Fault(problem, fix, value=shortened(given))


class _ContextsLine(BaseModel):
    question: str
    contexts: list[Annotated[Any, AfterValidator(_check_context)]] = Field(fail_fast=True)
    answer: Any


FIXES = {
    "question.string_type": "write the question in quotes",
    "contexts.list_type": 'write a list: ["…", {"title": "…", "text": "…"}]',
    **{f"{name}.missing": f"add it, as {keys[0]} or as {keys[1]}" for name, keys in NAMES.items()},
}


def is_row(row: Mapping[str, Any]) -> bool:
    """Return whether a line has all three fields, with the contexts in a list."""
    names = names_of(row)
    if names.keys() != NAMES.keys():
        return False
    name, given = names["contexts"], row[names["contexts"]]
    if row[names["answer"]] in (None, ""):
        return False
    if isinstance(given, str):
        return name in _RETRIEVED or given.lstrip().startswith("[")
    return isinstance(given, list)


def rows(line: int, row: dict[str, Any], *, id_column: str = "id") -> Iterator[PassageRow]:
    """Read the passage of a line; the contexts may be missing, empty, or a list as text."""
    names = names_of(row)
    fields = fields_of(row, names)
    given = {field: row[name] for field, name in names.items()} | {"contexts": fields["contexts"]}
    validate(_ContextsLine, given, fixes=FIXES, names=names)
    yield make_row(
        line,
        external_id=row.get(id_column),
        text=given["answer"],
        context=given["question"],
        fields=fields,
        format="contexts",
        names=(id_column, names["answer"], names["question"]),
    )


def names_of(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the line's key of each field; for contexts, `contexts` or the first list."""
    names = {}
    for field, known in NAMES.items():
        present = [name for name in known if name in row]
        lists = [name for name in present if isinstance(row[name], list)]
        if present:
            names[field] = (lists if field == "contexts" != present[0] and lists else present)[0]
    return names


def fields_of(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the other keys, with the contexts as `contexts`."""
    given = row.get(names.get("contexts", ""))
    if names.get("answer") == "actual_output" and isinstance(given, str):  # DeepEval's CSV
        given = given.split("|")
    rest = {key: value for key, value in row.items() if key not in names.values()}
    return {**rest, "contexts": as_list(given)}


def as_list(given: Any) -> Any:
    """Return the list that a text holds, a list of any other text, and [] for None.

    >>> as_list("['One.', 'Two.']"), as_list('["One."]'), as_list("One."), as_list(None)
    (['One.', 'Two.'], ['One.'], ['One.'], [])
    >>> as_list("['One.' 'Two.']")  # as NumPy writes it
    ['One.', 'Two.']
    """
    if given is None or (isinstance(given, str) and not given.strip()):
        return []
    value = decoded(given)
    if isinstance(value, list):
        return [_source(each) for each in value]
    return [value] if isinstance(given, str) else value


def _source(given: Any) -> Any:
    match given:
        case [str() as title, [*sentences]] if all(isinstance(each, str) for each in sentences):
            return {
                "title": title,
                "text": " ".join(each.strip() for each in sentences),
            }  # HotpotQA
    return given


def decoded(given: Any) -> Any:
    """Return the list or object that a text holds, in JSON or as Python writes it, or `given`."""
    text = given.strip() if isinstance(given, str) else ""
    if text.startswith("array("):
        text = text.removeprefix("array(").rpartition("]")[0] + "]"
    if not text.startswith(("[", "{")):
        return given
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _python_value(text)
    return value if isinstance(value, list | dict) else given


def _python_value(text: str) -> Any:
    if len(text) > MAX_LIST_CHARACTERS:
        return None
    try:
        value = ast.literal_eval(text)
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            tokens = tokenize.generate_tokens(io.StringIO(text).readline)
            return [
                ast.literal_eval(each.string) for each in tokens if each.type == tokenize.STRING
            ]
    except (ValueError, SyntaxError, MemoryError, RecursionError, tokenize.TokenError):
        return None
    return value
