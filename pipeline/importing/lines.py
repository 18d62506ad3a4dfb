"""Lines of a file that may be huge or broken: streamed, bounded, every fault with its sentence."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.importing.rows import RowError, UnreadableFile, shortened

MAX_LINE_BYTES = 16_000_000
"""A longer line is skipped without being held in memory."""
MAX_DEPTH = 100
"""Lists and objects nested deeper than this are a mistake or an attack."""

_MAGIC = {
    b"\xff\xfe": ("it is UTF-16", "save it as UTF-8"),
    b"\xfe\xff": ("it is UTF-16", "save it as UTF-8"),
    b"PK\x03\x04": ("it is a ZIP archive or an office document", "unpack it, or export it as CSV"),
    b"\x1f\x8b": ("it is compressed by gzip", "unpack it"),
    b"%PDF": ("it is a PDF", "convert it to text"),
    b"SQLite format 3": ("it is a database", "export its rows as CSV or JSON lines"),
}


def check_readable(path: Path) -> None:
    """Raise `UnreadableFile` unless `path` is a file that can be opened."""
    if path.is_dir():
        raise UnreadableFile(f"{path} is a folder: name a file.")
    try:
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise UnreadableFile(f"There is no file {path}: check its name.") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnreadableFile(f"{path} cannot be read: {reason}.") from None


def read_lines(path: Path, *, name: str = "") -> Iterator[tuple[int, str] | RowError]:
    """Each line with its number from 1, line ending included; an error for one that is no text.

    The byte order mark of UTF-8 is dropped. An empty file, or one that is plainly of another
    kind, gives one error about the whole file. Raises `UnreadableFile`.
    """
    check_readable(path)
    name = name or path.name
    with path.open("rb") as file:
        head = file.read(16)
        if not head:
            yield RowError(file=name, line=0, problem="the file is empty", fix="choose another")
            return
        for magic, (problem, fix) in _MAGIC.items():
            if head.startswith(magic):
                yield RowError(file=name, line=0, problem=problem, fix=fix)
                return
        offset = 3 if head.startswith(b"\xef\xbb\xbf") else 0
        file.seek(offset)
        number = 0
        while raw := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            start, offset = offset, offset + len(raw)
            if len(raw) > MAX_LINE_BYTES:
                while raw and not raw.endswith(b"\n"):
                    raw = file.readline(MAX_LINE_BYTES)
                    offset += len(raw)
                yield RowError(
                    file=name,
                    line=number,
                    problem=f"the line is longer than {MAX_LINE_BYTES // 1_000_000} MB",
                    fix="write one row a line, and a shorter text",
                )
                continue
            try:
                yield number, raw.decode("utf-8")
            except UnicodeDecodeError as error:
                yield RowError(
                    file=name,
                    line=number,
                    value=f"byte 0x{raw[error.start]:02X} at offset {start + error.start}",
                    problem="the line is not UTF-8 text",
                    fix="save the file as UTF-8",
                )


def read_objects(path: Path, *, name: str = "") -> Iterator[tuple[int, dict[str, Any]] | RowError]:
    """The JSON object on each line that is not blank, with the line's number from 1.

    What it yields can be stored anywhere: no NUL, no half of a surrogate pair, no NaN, no
    infinite number, nothing nested deeper than `MAX_DEPTH`.
    """
    name = name or path.name
    for item in read_lines(path, name=name):
        if isinstance(item, RowError):
            yield item
            continue
        number, line = item
        if line.strip():
            yield parse_object(line, file=name, line=number)


def parse_object(text: str, *, file: str, line: int) -> tuple[int, dict[str, Any]] | RowError:
    """`text` as a JSON object with its line number, or why it is none."""

    def error(problem: str, fix: str, *, field: str = "", value: str = "") -> RowError:
        return RowError(file=file, line=line, field=field, value=value, problem=problem, fix=fix)

    if fault := bad_character(text):
        return error(*fault)
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        return error("the JSON is nested too deeply", f"nest at most {MAX_DEPTH} levels")
    except json.JSONDecodeError as wrong:
        near = shortened(text[max(0, wrong.pos - 20) : wrong.pos + 20].strip())
        return error(
            f"the line is not JSON: {_lower_first(wrong.msg)} at character {wrong.pos + 1}",
            'write one object a line, such as {"id": "1", "text": "…"}',
            value=near,
        )
    except ValueError:
        # NaN, Infinity, or an integer of thousands of digits.
        return error("the line holds a number that cannot be stored", "write ordinary numbers")
    if not isinstance(value, dict):
        return error(
            f"the line is {kind_of(value)}, not a JSON object",
            'write one object a line, such as {"id": "1", "text": "…"}',
            value=shortened(text.strip()),
        )
    if fault_in := unstorable(value):
        return error(*fault_in[1:], field=fault_in[0])
    return line, value


def unstorable(value: dict[str, Any]) -> tuple[str, str, str] | None:
    """The field, problem and fix of the first thing that no database would store."""
    waiting: list[tuple[str, Any, int]] = [("", value, 0)]
    while waiting:
        field, item, depth = waiting.pop()
        if depth > MAX_DEPTH:
            return field, "the JSON is nested too deeply", f"nest at most {MAX_DEPTH} levels"
        if isinstance(item, str):
            if fault := bad_character(item):
                return field, *fault
        elif isinstance(item, float) and not math.isfinite(item):
            return field, "the number is too large", "write an ordinary number"
        elif isinstance(item, dict):
            for key, inner in item.items():
                if fault := bad_character(key):
                    return f"{field}.{shortened(key)}".lstrip("."), *fault
                waiting.append((field or shortened(key), inner, depth + 1))
        elif isinstance(item, list):
            waiting.extend((field, inner, depth + 1) for inner in item)
    return None


def bad_character(text: str) -> tuple[str, str] | None:
    """Problem and fix of a text that holds a character no database stores."""
    if "\0" in text:
        at = text.index("\0") + 1
        return f"the text holds a NUL character at position {at}", "take it out"
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            problem = f"the text holds half of a surrogate pair at position {error.start + 1}"
            return problem, "write the whole character"
    return None


def kind_of(value: object) -> str:
    """What a JSON value is, with its article.

    >>> kind_of([1]), kind_of(None)
    ('a list', 'null')
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case _:
            return "an object"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
