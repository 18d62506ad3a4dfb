"""Passages out of a file: `read_passages(path, format=…)` yields a row or an error a line.

One file a format; `FORMATS` names them. A reader checks the shape of each row; what only the
whole file can show (an id that comes twice, too many rows, no row at all) is checked here.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path

from pipeline.importing.lines import check_readable, parse_object, read_lines
from pipeline.importing.rows import PassageRow, RowError, UnreadableFile

__all__ = ["FORMATS", "PassageRow", "RowError", "detect_format", "read_passages"]

Reader = Callable[[Path], Iterator[PassageRow | RowError]]

FORMATS: dict[str, str] = {
    "rarr": "pipeline.importing.rarr_lines.read",
    "jsonl": "pipeline.importing.jsonl.read",
    "csv": "pipeline.importing.csv_table.read",
    "hagrid": "pipeline.importing.hagrid.read",
}
"""Format to the dotted path of its `read(path) -> Iterator[PassageRow | RowError]`."""

MAX_ROWS = 500_000
"""Passages in one file. A run makes a revision of each, so more is a mistake."""
MAX_ERRORS = 10_000
"""After so many errors the file is plainly of another kind, and reading stops."""


def read_passages(path: Path, *, format: str = "auto") -> Iterator[PassageRow | RowError]:  # noqa: A002
    """Each passage of the file, or why its line is none; streamed, in bounded memory.

    `format` is one of `FORMATS`, or "auto" to tell it from the content. A row without an id
    gets one made from its text and context, the same each time. Raises `UnreadableFile` when
    the file cannot be opened or the format is unknown.
    """
    check_readable(path)
    if format == "auto":
        detected = detect_format(path)
        if isinstance(detected, RowError):
            yield detected
            return
        format = detected  # noqa: A001
    yield from _checked(load_reader(format)(path), file=path.name)


def load_reader(format: str) -> Reader:  # noqa: A002
    """The `read` function of a format; raises `UnreadableFile` for an unknown name."""
    if format not in FORMATS:
        known = ", ".join(["auto", *FORMATS])
        raise UnreadableFile(f"{format!r} is no format of passages: choose one of {known}.")
    module, _, name = FORMATS[format].rpartition(".")
    reader: Reader = getattr(import_module(module), name)
    return reader


def detect_format(path: Path) -> str | RowError:
    """The format that the file's first line speaks of, or an error about the whole file."""
    first = next(
        (
            item
            for item in islice(read_lines(path), 50)
            if isinstance(item, RowError) or item[1].strip()
        ),
        None,
    )
    if isinstance(first, RowError):
        # A bad first line is told with its number; only its kind is still open.
        if first.line == 0:
            return first
        return "csv" if path.suffix.lower() in {".csv", ".tsv"} else "jsonl"
    if first is None:
        return _whole_file(path, "the file has no rows", "choose another")
    line, text = first
    stripped = text.lstrip()
    if stripped.startswith("["):
        return _whole_file(
            path, "the file is one JSON list", "write one JSON object a line instead (JSON lines)"
        )
    if not stripped.startswith("{"):
        if path.suffix.lower() in {".csv", ".tsv"} or "text" in column_names(text):
            return "csv"
        return _whole_file(
            path,
            "the file is neither JSON lines nor CSV with a column named text",
            "see docs/formats.md for the formats",
        )
    parsed = parse_object(text, file=path.name, line=line)
    if isinstance(parsed, RowError):
        return "jsonl"
    keys = parsed[1].keys()
    if "input_info" in keys:
        return "rarr"
    if "query" in keys and ("answers" in keys or "quotes" in keys):
        return "hagrid"
    if "text" in keys:
        return "jsonl"
    return _whole_file(
        path,
        f"the first line has none of the keys input_info, text, query (it has {_list_keys(keys)})",
        "see docs/formats.md for the formats",
    )


def column_names(header: str, delimiters: str = ",;\t") -> list[str]:
    """The cells of a table's first line, roughly: enough to see whether a column is there.

    >>> column_names('"ID";Text')
    ['id', 'text']
    """
    for delimiter in delimiters[1:]:
        header = header.replace(delimiter, delimiters[0])
    return [cell.strip().strip('"').strip().lower() for cell in header.split(delimiters[0])]


def content_id(text: str, context: str) -> str:
    """An id for a row that has none: the same for the same text and context.

    >>> content_id("a", "b") == content_id("a", "b") != content_id("ab", "")
    True
    """
    return "sha-" + hashlib.sha256(f"{context}\0{text}".encode(errors="replace")).hexdigest()[:24]


def content_hash(row: PassageRow) -> str:
    """SHA-256 of all that a row says but its id; rows that differ in it have changed."""
    parts = [row.text, row.context, json.dumps(row.source, sort_keys=True)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _checked(
    rows: Iterator[PassageRow | RowError], *, file: str
) -> Iterator[PassageRow | RowError]:
    # Eight bytes an id, not the id: half a million of them stay small.
    lines_by_id: dict[int, int] = {}
    errors = 0
    for item in rows:
        if isinstance(item, PassageRow):
            key = int.from_bytes(hashlib.blake2b(item.external_id.encode(), digest_size=8).digest())
            first = lines_by_id.get(key)
            if first is None and len(lines_by_id) >= MAX_ROWS:
                yield RowError(
                    file=file,
                    line=item.line,
                    problem=f"the file has more than {MAX_ROWS:,} passages",
                    fix="split it into several files",
                )
                return
            if first is None:
                lines_by_id[key] = item.line
                yield item
                continue
            item = _duplicate(item, file=file, first=first)
        yield item
        errors += 1
        if errors >= MAX_ERRORS:
            yield RowError(
                file=file,
                line=item.line,
                problem=f"reading stopped after {MAX_ERRORS:,} errors",
                fix="check that this is the right file and format",
            )
            return
    if not lines_by_id and not errors:
        yield RowError(file=file, line=0, problem="the file has no rows", fix="choose another")


def _duplicate(row: PassageRow, *, file: str, first: int) -> RowError:
    if row.external_id == content_id(row.text, row.context):
        return RowError(
            file=file,
            line=row.line,
            field="text",
            problem=f"the same text and context stand in line {first} already",
            fix="take one of them out, or give each an id",
        )
    return RowError(
        file=file,
        line=row.line,
        field="id",
        value=row.external_id,
        problem=f"line {first} has the same id",
        fix="give each row an id of its own",
    )


def _whole_file(path: Path, problem: str, fix: str) -> RowError:
    return RowError(file=path.name, line=0, problem=problem, fix=fix)


def _list_keys(keys: object) -> str:
    shown = sorted(str(key)[:30] for key in keys)[:8]  # type: ignore[attr-defined]
    return ", ".join(shown) or "none"
