"""ALCE's run output: one JSON object whose list `data` has a question, its documents, an answer.

Each answer becomes a passage: `output` is its text, `question` its context. A list of outputs (more
samples than one) becomes a passage each. The rest of the item goes to `source` unchanged, and so
`docs`, whose places from 1 the text cites; with it goes the `model` of the run's `args`, which
stand before `data`. The file is read whole; a list alone is read as `data`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from pipeline.importing.fields import TextOrNumber, make_row, validate
from pipeline.importing.lines import parse_object, rows_of_lines
from pipeline.importing.rows import Fault, PassageRow, RowError

MAX_BYTES = 200_000_000
"""Ten thousand answers with a dozen documents each; the file is in memory while it is read."""
_HEAD = re.compile(rb'\s*\{\s*"(?:args|data)"\s*:')
_BLANK = re.compile(r"[\s,]*")
_decoder = json.JSONDecoder()


class _Document(BaseModel):
    text: str


class _Item(BaseModel):
    sample_id: TextOrNumber = None
    question: str
    docs: list[_Document] | None = None


FIXES = {
    "question": "write the question in quotes",
    "docs.text": "write the document's text",
    "list_type": "write a list of objects",
    "model_type": "write an object in braces",
}


def is_output(path: Path) -> bool:
    """Whether the file begins as a run's output does, with `args` or `data`."""
    with path.open("rb") as file:
        return _HEAD.match(file.read(4096).removeprefix(b"\xef\xbb\xbf")) is not None


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A passage for each answer; its line is where its item begins."""
    model: dict[str, str] = {}
    return rows_of_lines(
        read_items(path, model),
        lambda line, text: _rows(line, parse_object(text), model),
        name=path.name,
    )


def _rows(line: int, item: dict[str, Any], model: Mapping[str, str]) -> Iterator[PassageRow]:
    validate(_Item, item, fixes=FIXES)
    given = item.get("output")
    outputs = given if isinstance(given, list) and given else [given]
    name = item.get("sample_id")
    rest = {key: value for key, value in item.items() if key not in {"question", "output"}}
    source = {**model, **rest}
    for number, output in enumerate(outputs, start=1):
        several = f"-{number}" if len(outputs) > 1 else ""
        yield make_row(
            line,
            # Without an id of its own an answer gets one from its text and question.
            external_id=None if name in (None, "") else f"{name}{several}",
            text=output,
            context=item["question"],
            source=source,
            names=("sample_id", "output", "question"),
        )


def read_items(path: Path, model: dict[str, str] | None = None) -> Iterator[tuple[int, str]]:
    """Each item of `data` as text, with its line; puts the run's model into `model` first.

    Raises `Fault` for what is wrong of the whole.
    """
    if path.stat().st_size > MAX_BYTES:
        problem = f"the file is larger than {MAX_BYTES // 1_000_000} MB"
        raise Fault(problem, "split its data into several files")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Fault("the file is not UTF-8 text", "save it as UTF-8") from None
    at = _data(text, {} if model is None else model)
    line, counted = 1, 0
    while True:
        at = _after_blank(text, at)
        if text[at : at + 1] == "]":
            return
        line, counted = line + text.count("\n", counted, at), at
        end = _end(text, at)
        yield line, text[at:end]
        at = end


def _data(text: str, model: dict[str, str]) -> int:
    """Where the first item of `data` stands; notes the model of the `args` before it."""
    at = _after_blank(text, 0)
    if text[at : at + 1] == "{":
        at = _after_blank(text, at + 1)
        while text[at : at + 1] == '"':
            end = _end(text, at)
            key, colon = text[at:end], _after_blank(text, end)
            at = _after_blank(text, colon + 1)
            if key == '"data"' or text[colon : colon + 1] != ":":
                break
            value, at = at, _end(text, at)
            if key == '"args"':
                model.update(_model(text[value:at]))
            at = _after_blank(text, at)
    if text[at : at + 1] != "[":
        fix = (
            'write {"args": {…}, "data": [{"question": "…", "output": "…", "docs": […]}]}, or '
            "another format of docs/formats.md"
        )
        raise Fault("the file has no list `data`", fix)
    return at + 1


def _model(args: str) -> dict[str, str]:
    try:
        name = parse_object(args).get("model")
    except Fault:  # the answers are what the file is for
        return {}
    return {"model": name} if isinstance(name, str) and name else {}


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _end(text: str, at: int) -> int:
    """Where the JSON value that begins there ends."""
    try:
        return _decoder.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        line = text.count("\n", 0, at) + 1
        fix = "export it again, or mend it there"
        raise Fault(f"the file is not JSON from line {line} on", fix) from None
