"""Passages of a file of any format."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from pipeline.importing import (
    alce,
    contexts,
    csv_table,
    hagrid,
    jsonl,
    questions,
    rarr_results,
)
from pipeline.importing.lines import check_readable, parse_object, read_lines, with_nested
from pipeline.importing.rows import (
    MAX_ROWS,
    NO_ROWS,
    Fault,
    PassageRow,
    RowError,
    UnreadableFile,
    check_whole_file,
)

__all__ = ["FORMATS", "PassageRow", "RowError", "detect_format", "read_passages"]

FORMATS: dict[str, Callable[..., Iterator[PassageRow | RowError]]] = {
    "rarr": rarr_results.read,
    "jsonl": jsonl.read,
    "csv": csv_table.read,
    "hagrid": hagrid.read,
    "alce": alce.read,
    "questions": questions.read,
    "contexts": contexts.read,
}

TABLES = ("jsonl", "csv")
"""Formats whose columns can be mapped."""


def read_passages(
    path: Path,
    *,
    format: str = "auto",  # noqa: A002
    columns: Mapping[str, str] | None = None,
) -> Iterator[PassageRow | RowError]:
    """Stream each passage of the file, or the error of its line, in bounded memory.

    `format` is one of `FORMATS` or "auto". `columns` maps `text`, `context` and `id` to columns of
    CSV or keys of JSON lines ("" for none). A row without an id gets one from its content. Raises
    `UnreadableFile` for an unknown format or a file that cannot be opened.
    """
    check_readable(path)
    if format not in {"auto", *FORMATS}:
        known = ", ".join(["auto", *FORMATS])
        raise UnreadableFile(f"{format!r} is no format of passages: choose one of {known}.")
    try:
        if format == "auto":
            format = detect_format(path, text=columns["text"] if columns else "text")  # noqa: A001
        rows = FORMATS[format](path, *([columns] if format in TABLES else []))
    except Fault as fault:
        yield fault.at(path.name)
        return
    yield from check_whole_file(rows, file=path.name, most_rows=MAX_ROWS, empty=Fault(*NO_ROWS))


def detect_format(path: Path, *, text: str | None = "text") -> str:
    """Detect the format from the first line; raises a `Fault` if none fits.

    CSV and JSON lines need the column `text`, if not None.
    """
    is_table = path.suffix.lower() in {".csv", ".tsv"}
    for item in islice(read_lines(path), 50):
        if isinstance(item, RowError):
            if item.line:  # the reader yields it again
                return "csv" if is_table else "jsonl"
            raise Fault(item.problem, item.fix)
        if first := item[1].strip():
            break
    else:
        raise Fault(*NO_ROWS)
    if alce.is_output(path):
        return "alce"
    if first.startswith("["):
        if questions.is_list(path):
            return "questions"
        fix = "write one JSON object a line instead (JSON lines)"
        raise Fault("the file is one JSON list", fix)
    if not first.startswith("{"):
        names = csv_table.column_names(first)
        asks = (is_table or len(names) > 1) and questions.asks_only(names)
        if text in {None, "text"} and asks:
            return "questions"
        if is_table or (_is_header(names) if text is None else text.lower() in names):
            return "csv"
        problem = f"the file is neither JSON lines nor CSV with a column named {text or 'text'}"
        raise Fault(problem, "see docs/formats.md for the formats")
    try:
        keys = with_nested(parse_object(first))
    except Fault:
        return "jsonl"
    if text in {None, "text"}:
        if "input_info" in keys:
            return "rarr"
        if "query" in keys and keys.get("answers") and not _is_gold(keys["answers"]):
            return "hagrid"
        if "text" not in keys and contexts.is_row(keys):
            return "contexts"
        if questions.asks_only(parse_object(first)):
            return "questions"
    if text is None or text in keys:
        return "jsonl"
    displayed = ", ".join(sorted(key[:30] for key in keys)[:8]) or "none"
    accepted = "input_info, text, question, query" if text == "text" else text
    problem = f"the first line has none of the keys {accepted} (it has {displayed})"
    raise Fault(problem, "see docs/formats.md for the formats")


def _is_gold(answers: Any) -> bool:
    """Return whether these are right answers."""
    return isinstance(answers, list) and isinstance(answers[0], str | list)


def _is_header(names: list[str]) -> bool:
    """Return whether a first line has column names, and not text.

    >>> _is_header(["id", "answer"]), _is_header(["the ribble", " it is said, ends in the sea."])
    (True, False)
    """
    return len(names) > 1 and all(name.replace("_", " ").isalnum() for name in names if name)
