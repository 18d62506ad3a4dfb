"""ALCE's run output: an object whose list `data` has questions, documents and outputs.

Each output is a passage with the question as context. Its source has the item's other keys and the
`model` of `args`, if that precedes `data`. A list alone is read as `data`.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from pipeline.importing.fields import TextOrNumber, make_row, validate
from pipeline.importing.lines import DECODER, check_characters, check_object, rows_of_lines
from pipeline.importing.rows import Fault, PassageRow, RowError

MAX_BYTES = 200_000_000
"""The whole file is in memory: ten thousand answers with a dozen documents each."""
_HEAD = re.compile(rb'\s*\{\s*"(?:args|data)"\s*:')
_BETWEEN = re.compile(r"[\s,:]*")


class _AlceDocument(BaseModel):
    text: str


class _Item(BaseModel):
    sample_id: TextOrNumber = None
    question: str
    docs: list[_AlceDocument] | None = None


FIXES = {
    "question": "write the question in quotes",
    "docs.text": "write the document's text",
    "list_type": "write a list of objects",
    "model_type": "write an object in braces",
}


def is_output(path: Path) -> bool:
    with path.open("rb") as file:
        return _HEAD.match(file.read(4096).removeprefix(b"\xef\xbb\xbf")) is not None


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """Read a passage for each output, with the line of its item."""
    model: dict[str, str] = {}
    return rows_of_lines(
        read_items(path, model),
        lambda line, item: _rows(line, check_object(item), model),
        name=path.name,
    )


def _rows(line: int, item: dict[str, Any], model: Mapping[str, str]) -> Iterator[PassageRow]:
    validate(_Item, item, fixes=FIXES)
    given = item.get("output")
    outputs = given if isinstance(given, list) and given else [given]
    name = item.get("sample_id")
    rest = {key: value for key, value in item.items() if key not in {"question", "output"}}
    for number, output in enumerate(outputs, start=1):
        several = f"-{number}" if len(outputs) > 1 else ""
        yield make_row(
            line,
            external_id=None if name in (None, "") else f"{name}{several}",
            text=output,
            context=item["question"],
            fields={**model, **rest},
            format="alce",
            names=("sample_id", "output", "question"),
        )


def read_items(path: Path, model: dict[str, str] | None = None) -> Iterator[tuple[int, Any]]:
    """Read each item of `data` with its line, after putting the run's model into `model`.

    Raises `Fault` for an error in the whole file.
    """
    if path.stat().st_size > MAX_BYTES:
        problem = f"the file is larger than {MAX_BYTES // 1_000_000} MB"
        raise Fault(problem, "split its data into several files")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Fault("the file is not UTF-8 text", "save it as UTF-8") from None
    check_characters(text)
    key, at = None, _skip(text, 0)
    if text.startswith("{", at):
        at = _skip(text, at + 1)
        while key != "data" and text.startswith('"', at):
            key, at = _value(text, at)
            if key == "args" and model is not None:
                args, at = _value(text, at)
                if isinstance(args, dict) and args.get("model") and isinstance(args["model"], str):
                    model["model"] = args["model"]
            elif key != "data":
                at = _value(text, at)[1]
    if not text.startswith("[", at):
        fix = (
            'write {"args": {…}, "data": [{"question": "…", "output": "…", "docs": […]}]}, or '
            "another format of docs/formats.md"
        )
        raise Fault("the file has no list `data`", fix)
    at = _skip(text, at + 1)
    line, counted = 1, 0
    while not text.startswith("]", at):
        line, counted = line + text.count("\n", counted, at), at
        item, at = _value(text, at)
        yield line, item


def _skip(text: str, at: int) -> int:
    return _BETWEEN.match(text, at).end()  # type: ignore[union-attr]


def _value(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value at `at`, and the position of the next one."""
    try:
        value, end = DECODER.raw_decode(text, at)
    except (ValueError, RecursionError) as error:
        line = text.count("\n", 0, at) + 1
        reason = f": {error}" if isinstance(error, Fault) else ""
        problem = f"the file is not JSON from line {line} on{reason}"
        raise Fault(problem, "export it again, or correct that line") from None
    return value, _skip(text, end)
