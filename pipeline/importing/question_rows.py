"""Bare questions: passages without a text, whose context is the question to answer.

Their `source` has what a HAGRID line has of a question, so that an answer to it becomes one:
`query`, `query_id` and, where there are any, `quotes`, each `{"idx", "docid", "text"}` and maybe a
`title`. Answers cite a quote by its idx, which counts from 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, Field

from pipeline.importing.fields import NotBlank, TextOrNumber, content_id, make_row, validate
from pipeline.importing.hagrid import OF_LINE
from pipeline.importing.rows import Fault, PassageRow


class _Quote(BaseModel):
    idx: int | None = None
    docid: TextOrNumber = None
    title: str | None = None
    text: Annotated[str, NotBlank]


class _Quotes(BaseModel):
    quotes: list[_Quote] = Field(fail_fast=True)


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


def make_question(
    line: int,
    *,
    name: Any,
    question: Any,
    rest: Mapping[str, Any],
    quotes: Sequence[Mapping[str, Any]] = (),
    dialog: str = "",
    names: tuple[str, str] = ("id", "question"),
) -> PassageRow:
    """A bare question from raw values; raises a `Fault` for the first that is wrong.

    `dialog` is the question with the turns before it, where there are any; `rest` is kept in the
    source. `names` are what the file calls the id and the question.
    """
    made = make_row(
        line,
        external_id=name,
        text=question,
        context=None,
        source={},
        names=(*names, "context"),
        noun="question",
    )
    asked = dialog or made.text
    known = content_id("", asked) if name in (None, "") else made.external_id
    # An object there would be taken for the labels of an answer that came with the question.
    kept = {
        OF_LINE if key == "answer" and isinstance(value, dict) else key: value
        for key, value in rest.items()
    }
    source = {**kept, "query": made.text, "query_id": known}
    if quotes:
        source["quotes"] = list(quotes)
    return replace(made, external_id=known, text="", context=asked, source=source)


def read_quotes(given: Any, *, field: str = "quotes") -> list[dict[str, Any]]:
    """A list of texts or objects as HAGRID's quotes; raises a `Fault` for the first wrong one.

    >>> read_quotes(["It runs west."])
    [{'idx': 1, 'docid': '1', 'text': 'It runs west.'}]
    """
    if isinstance(given, list):
        given = [{"text": each} if isinstance(each, str) else each for each in given]
    try:
        validate(_Quotes, {"quotes": given}, fixes=FIXES, names={"quotes": field})
    except Fault as fault:
        fault.field = fault.field.replace("quotes", field, 1)
        raise
    found = [_numbered(place, each) for place, each in enumerate(given, start=1)]
    if len({each["idx"] for each in found}) < len(found):
        raise Fault("two quotes have the same idx", "number them from 1", field=field)
    return found


def _numbered(place: int, quote: Mapping[str, Any]) -> dict[str, Any]:
    idx = place if quote.get("idx") is None else quote["idx"]
    docid = idx if quote.get("docid") in (None, "") else quote["docid"]
    first = {"idx": idx, "docid": str(docid), "text": quote["text"]}
    return first | {key: value for key, value in quote.items() if key not in first and value}


def read_topic(text: str) -> dict[str, Any]:
    """A line of TREC's topics as an object. Raises `Fault`.

    >>> read_topic("7\\tWhere does it end?\\n")
    {'id': '7', 'question': 'Where does it end?'}
    """
    name, tab, question = text.partition("\t")
    if not tab:
        raise Fault("the line has no tab", "write an id, a tab and the question")
    return {"id": name.strip(), "question": question.strip()}
