"""Lines and JSON objects of a huge or broken file."""

import codecs
import io
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from pipeline.importing.rows import Fault, RowError, UnreadableFile, shortened

Row = TypeVar("Row")
T = TypeVar("T")

MAX_LINE_BYTES = 16_000_000
"""Longer lines are skipped, never held in memory."""
MAX_DEPTH = 100
"""Deeper nesting is a mistake or an attack."""
MAX_NAME_CHARACTERS = 200
"""Of a column; a longer name is text: the table has no header."""
UTF_8 = "utf-8"
FIX_ENCODING = "save the file as UTF-8, or choose its encoding"
_UNSTORABLE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
"""An escaped NUL or half of a surrogate pair."""


codecs.register_error("mark", lambda error: ("\udc80", cast(UnicodeDecodeError, error).end))


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


def read_lines(
    file: IO[bytes], *, name: str, encoding: str, newline: str
) -> Iterator[tuple[int, str] | RowError]:
    """Read each line with its number from 1 and its line ending, or an error."""
    if encoding == UTF_8 and newline == "\n":
        yield from _utf_8_lines(file, name=name)
        return
    with io.TextIOWrapper(file, encoding, errors="mark", newline=newline) as text:
        number = 0
        while line := text.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                while line and not line.endswith(newline):
                    line = text.readline(MAX_LINE_BYTES)
                yield _too_long().at(name, number)
            elif "\udc80" in line:
                yield Fault(f"the line is not {encoding} text", FIX_ENCODING).at(name, number)
            else:
                yield number, line.removeprefix("\ufeff") if number == 1 else line


def _utf_8_lines(file: IO[bytes], *, name: str) -> Iterator[tuple[int, str] | RowError]:
    number = offset = 0
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        start, offset = offset, offset + len(raw)
        if len(raw) > MAX_LINE_BYTES:
            while raw and not raw.endswith(b"\n"):
                raw = file.readline(MAX_LINE_BYTES)
                offset += len(raw)
            yield _too_long().at(name, number)
            continue
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            position = f"byte 0x{raw[error.start]:02X} at offset {start + error.start}"
            fault = Fault("the line is not UTF-8 text", FIX_ENCODING, value=position)
            yield fault.at(name, number)
        else:
            yield number, line.removeprefix("\ufeff") if number == 1 else line


def _too_long() -> Fault:
    problem = f"the line is longer than {MAX_LINE_BYTES // 1_000_000} MB"
    return Fault(problem, "write one row a line, and a shorter text")


def rows_of_records(
    records: Iterable[tuple[int, T] | RowError],
    rows_of: Callable[[int, T], Iterable[Row | Fault]],
    *,
    name: str,
) -> Iterator[Row | RowError]:
    """Call `rows_of` with the number and content of each record; a `Fault` becomes an error.

    `rows_of` raises a `Fault` to end the record, or yields it to continue. A `Fault` from
    `records` is an error of the file `name`.
    """
    try:
        for item in records:
            if isinstance(item, RowError):
                yield item
                continue
            number, record = item
            try:
                for row in rows_of(number, record):
                    yield row.at(name, number) if isinstance(row, Fault) else row
            except Fault as fault:
                yield fault.at(name, number)
    except Fault as fault:
        yield fault.at(name)


def parse_object(text: str) -> dict[str, Any]:
    """Parse an object and check it as `check_object`. Raises `Fault`."""
    check_characters(text)
    try:
        value, is_plain = _decoded(text)
    except json.JSONDecodeError as wrong:
        reason = wrong.msg[:1].lower() + wrong.msg[1:]
        raise Fault(
            f"the line is not JSON: {reason} at character {wrong.pos + 1}",
            'write one object a line, such as {"id": "1", "text": "…"}',
            value=shortened(text[max(0, wrong.pos - 20) : wrong.pos + 20].strip()),
        ) from None
    except RecursionError:
        raise nested_too_deeply() from None
    except Fault:
        raise
    except ValueError:
        problem = "the line holds a number that cannot be stored"
        raise Fault(problem, "write ordinary numbers") from None  # of thousands of digits
    is_shallow = text.count("{") + text.count("[") <= MAX_DEPTH
    is_storable = is_plain and is_shallow and not ("\\u" in text and _UNSTORABLE.search(text))
    return value if is_storable and isinstance(value, dict) else check_object(value)


def _decoded(text: str) -> tuple[Any, bool]:
    try:
        return _PLAIN.decode(text), True
    except OverflowError:
        return DECODER.decode(text), False


def check_object(value: Any) -> dict[str, Any]:
    """Return `value` if it is an object that any database can store, else raise a `Fault`.

    Refuses NUL, half a surrogate pair, a number out of range, and nesting deeper than `MAX_DEPTH`.
    An object with NaN becomes a `RecordWithNaN`.
    """
    if not isinstance(value, dict):
        raise Fault(
            f"the line is {kind_of(value)}, not a JSON object",
            'write one object a line, such as {"id": "1", "text": "…"}',
            value=shortened(value),
        )
    has_nan = False
    waiting: list[tuple[str, Any, int]] = [("", value, 0)]
    while waiting:
        field, item, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise nested_too_deeply(shortened(field))
        if isinstance(item, str):
            check_characters(item, field=field)
        elif isinstance(item, float) and math.isinf(item):
            raise Fault(
                "the number is too large", "write an ordinary number", field=shortened(field)
            )
        elif isinstance(item, float) and math.isnan(item):
            has_nan = True
        elif isinstance(item, dict):
            for key, inner in item.items():
                _check_key(key, field)
                waiting.append((field or key, inner, depth + 1))
        elif isinstance(item, list):
            waiting.extend((field, inner, depth + 1) for inner in item)
    return RecordWithNaN(value) if has_nan else value


class RecordWithNaN(dict[str, Any]):
    """An object with NaN or an infinity, which is null where nothing reads it."""


def without_nan(value: Any) -> Any:
    """Replace NaN by None.

    >>> without_nan({"a": [float("nan"), 1.0]})
    {'a': [None, 1.0]}
    """
    match value:
        case float():
            return None if math.isnan(value) else value
        case list():
            return [without_nan(each) for each in value]
        case dict():
            return {key: without_nan(each) for key, each in value.items()}
    return value


def _check_key(key: str, field: str) -> None:
    try:
        check_characters(key)
    except Fault as fault:
        fault.field = f"{shortened(field)}.{shortened(key)}".lstrip(".")
        raise


def with_nested(row: Mapping[str, Any]) -> dict[str, Any]:
    """Add nested keys with dotted names; existing keys win.

    >>> with_nested({"meta": {"question": "Q?"}, "meta.id": 7})
    {'meta': {'question': 'Q?'}, 'meta.question': 'Q?', 'meta.id': 7}
    """
    return {**dict(_nested(row, "")), **row}


def _nested(row: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        name = f"{prefix}{key}"
        yield name, value
        if isinstance(value, dict) and len(name) <= MAX_NAME_CHARACTERS:
            yield from _nested(value, f"{name}.")


def check_characters(text: str, *, field: str = "") -> str:
    """Return `text`; raises a `Fault` for a character that no database can store."""
    if "\0" in text:
        problem = f"the text holds a NUL character at position {text.index(chr(0)) + 1}"
        raise Fault(problem, "take it out", field=shortened(field))
    try:
        text.encode()
    except UnicodeEncodeError as error:
        problem = f"the text holds half of a surrogate pair at position {error.start + 1}"
        raise Fault(problem, "write the whole character", field=shortened(field)) from None
    return text


def kind_of(value: object) -> str:
    """Return the kind of a JSON value, with its article."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case float() if math.isnan(value):
            return "not a number (NaN)"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case _:
            return "an object"


def nested_too_deeply(field: str = "") -> Fault:
    fix = f"nest at most {MAX_DEPTH} levels"
    return Fault("the JSON is nested too deeply", fix, field=field)


def _object_of_different_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raise a `Fault` for a repeated key."""
    made = dict(pairs)
    if len(made) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        name = shortened(next(key for key, count in counts.items() if count > 1))
        raise Fault(f'an object has the key "{name}" twice', "keep one of the two", field=name)
    return made


def _finite(text: str) -> float:
    if math.isinf(value := float(text)):
        raise OverflowError
    return value


def _refuse_constant(name: str) -> float:
    raise OverflowError


DECODER = json.JSONDecoder(
    parse_constant=lambda name: math.nan, object_pairs_hook=_object_of_different_keys
)
"""For all JSON of imported files; `check_object` refuses unstorable values."""
_PLAIN = json.JSONDecoder(
    parse_float=_finite,
    parse_constant=_refuse_constant,
    object_pairs_hook=_object_of_different_keys,
)
"""Refuses NaN and infinite numbers, too."""
