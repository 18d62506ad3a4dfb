"""Questions to generate passages from, or bare questions that a strategy answers.

A line is `{"id": …, "question": …}` (or `query`). For a dialog, `context` has the earlier turns,
one a line, or `turns` has all of them, the user's first. Other keys are stored. Bare questions may
also be MIRACL's lines (`positive_passages`), one JSON list, or a table.

A bare question is a passage without text; the question is its context. Its source has HAGRID's
`query`, `query_id` and `quotes`: `{"idx", "docid", "text"}` and optionally `title`, idx from 1.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

from pipeline.generation.types import NoQuestion, Question
from pipeline.importing.fields import NotBlank, TextOrNumber, make_row, validate
from pipeline.importing.lines import kind_of
from pipeline.importing.passage import Gold, PassageSource
from pipeline.importing.passage_rows import passage_row
from pipeline.importing.rows import Fault, PassageRow
from pipeline.rarr.dialog import parse_dialog
from pipeline.rarr.types import Evidence

TEXT_FIELDS = ("question", "query")
ID_FIELDS = ("id", "query_id", "_id", "qid", "question_id", "sample_id")
QUOTES = ("quotes", "positive_passages")
SPEAKERS = ("User", "System")
KNOWN_FIELDS = {"id", "query_id", *TEXT_FIELDS, "context", "turns"}
COLUMNS = (*TEXT_FIELDS, *ID_FIELDS, "context", *QUOTES)


class _QuestionQuote(BaseModel):
    idx: int | None = None
    docid: TextOrNumber = None
    title: str | None = None
    text: Annotated[str, NotBlank]


class _Quotes(BaseModel):
    quotes: list[_QuestionQuote] = Field(fail_fast=True)


FIX = 'write a list of {"docid": "…", "title": "…", "text": "…"}'
FIXES = {
    "blank": "write the quote's text, or take the quote out",
    "missing": "add the quote's text",
    "string_type": "write a text in quotes",
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "int_from_float": "write a whole number",
    "list_type": FIX,
    "model_type": FIX,
}


def question_of(*, name: str, context: str, text: str, source: PassageSource) -> Question:
    """Build the question in a passage's context; raises `NoQuestion` if it is blank."""
    if not context.strip():
        raise NoQuestion(
            f"The passage {name} has no context, so there is no question to answer: import it with "
            "its question as the context."
        )
    gold = source.gold or Gold()
    return Question(
        id=name,
        text=context.strip(),
        draft=text.strip(),
        sources=tuple(
            Evidence(
                title=each.title,
                url=each.url,
                text=each.text,
                document_id=each.id,
                query=context.strip(),
                relevance=0.0,
            )
            for each in source.documents
        ),
        short_answers=gold.short_answers,
        claims=tuple(gold.claims or ()),
        is_list=bool(gold.answers),
    )


def dialog_of(row: PassageRow) -> str:
    return _dialog(row.text, row.context)


def questions(line: int, row: dict[str, Any]) -> Iterator[PassageRow]:
    """Read a question as text, with the earlier turns as context."""
    field, question, context = _question_fields(row)
    name = next((key for key in ("id", "query_id") if key in row), "id")
    yield make_row(
        line,
        external_id=row.get(name),
        text=question,
        context=context,
        fields={key: value for key, value in row.items() if key not in KNOWN_FIELDS},
        format="questions",
        names=(name, field, "context"),
    )


def rows(line: int, row: dict[str, Any], *, sources: str | None = None) -> Iterator[PassageRow]:
    """Read a bare question: a passage without text. `sources` is their key, if an unusual one."""
    answers = row.get("answers")
    if isinstance(answers, list) and answers and isinstance(answers[0], dict):
        problem = "the question has answers that could be judged"
        raise Fault(problem, "choose the format hagrid", field="answers")
    field, question, context = _question_fields(row)
    name = next((key for key in ID_FIELDS if row.get(key) not in (None, "")), "id")
    quotes_field = next((key for key in QUOTES if row.get(key)), "")
    is_dialog = isinstance(context, str) and ("turns" in row or bool(parse_dialog(context)))
    used = {name, field, quotes_field, "query", "quotes", "turns"} | (
        {"context"} if is_dialog else set()
    )
    used |= {key for key in ("answers", "metadata") if not row.get(key)}
    made = make_row(
        line,
        external_id=row.get(name),
        text=question,
        context=None,
        fields={key: value for key, value in row.items() if key not in {name, field}},
        format="questions",
        names=(name, field, "context"),
        noun="question",
    )
    fields = {key: value for key, value in row.items() if key not in used}
    fields |= {"query": made.text, "query_id": made.external_id}
    if quotes_field:
        fields["quotes"] = _read_quotes(row[quotes_field], field=quotes_field)
    yield passage_row(
        line=line,
        external_id=made.external_id,
        text="",
        context=_dialog(made.text, context) if is_dialog else made.text,
        fields=fields,
        format="questions",
        sources=sources,
    )


def _question_fields(row: Mapping[str, Any]) -> tuple[str, Any, Any]:
    """Return the question's key, the question, and the earlier turns. Raises `Fault`."""
    name = next((field for field in TEXT_FIELDS if field in row), TEXT_FIELDS[0])
    if "turns" not in row:
        return name, row.get(name), row.get("context")
    turns = row["turns"]
    if not isinstance(turns, list) or not all(isinstance(turn, str) for turn in turns):
        problem = f"turns is {kind_of(turns)}, not a list of texts"
        fix = 'write ["first question", "its answer", "next question"]'
        raise Fault(problem, fix, field="turns")
    if len(turns) % 2 == 0:
        problem = f"there are {len(turns)} turns, so the last one is no question"
        raise Fault(problem, "end with the question to answer", field="turns")
    before = (
        f"{SPEAKERS[position % 2]}: {' '.join(turn.split())}"
        for position, turn in enumerate(turns[:-1])
    )
    return name, turns[-1], "\n".join(before)


def _dialog(question: str, context: str) -> str:
    line = f"{SPEAKERS[0]}: {' '.join(question.split())}"
    return f"{context.strip()}\n{line}" if context.strip() else line


def _read_quotes(given: Any, *, field: str = "quotes") -> list[dict[str, Any]]:
    """Convert texts or objects to HAGRID's quotes; raises a `Fault` for the first error."""
    if isinstance(given, list):
        given = [{"text": each} if isinstance(each, str) else each for each in given]
    validate(_Quotes, {"quotes": given}, fixes=FIXES, names={"quotes": field})
    quotes = [_numbered(position, each) for position, each in enumerate(given, start=1)]
    if len({each["idx"] for each in quotes}) < len(quotes):
        raise Fault("two quotes have the same idx", "number them from 1", field=field)
    return quotes


def _numbered(position: int, quote: Mapping[str, Any]) -> dict[str, Any]:
    idx = position if quote.get("idx") is None else quote["idx"]
    docid = idx if quote.get("docid") in (None, "") else quote["docid"]
    first = {"idx": idx, "docid": str(docid), "text": quote["text"]}
    return first | {key: value for key, value in quote.items() if key not in first and value}
