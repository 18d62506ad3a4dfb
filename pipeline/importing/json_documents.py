"""Records of a JSON file in any layout but JSON lines."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from pipeline.importing.columns import KNOWN_NAMES, plain_name
from pipeline.importing.lines import DECODER
from pipeline.importing.record_formats import record_format
from pipeline.importing.rows import PART, Fault, PartName, RowNumber

MAX_LEVELS = 4
"""Of objects around the records."""
_LINES_OF_LISTS = re.compile(r"\[.*\]\s*\n\s*\[")
_SPACE = re.compile(r"[ \t\r\n]*")


def read_json(text: str) -> Iterator[tuple[int, Any]]:
    """Yield each record with its line, or its number if all are in one line or one object.

    The file is a list, several values in a row, or one object (see `records_of`). A list as first
    record makes the records lists of cells; texts are records of a `text`. Raises `Fault`.
    """
    has_lines = "\n" in text.strip()
    line, counted, number, at = 1, 0, 0, _skip_space(text, 0)
    is_list = text.startswith("[", at) and not _LINES_OF_LISTS.match(text, at)
    if is_list:
        at = _skip_space(text, at + 1)
    while at < len(text) and not (is_list and text[at] == "]"):
        line += text.count("\n", counted, at)
        counted = at
        value, at = _parse(text, at)
        number += 1
        if number == 1 and at >= len(text) and not is_list and isinstance(value, dict):
            yield from ((RowNumber(n), each) for n, each in enumerate(records_of(value), start=1))
            return
        yield line if has_lines else RowNumber(number), value
        if is_list and text.startswith(",", at):
            at = _skip_space(text, at + 1)
        elif is_list and not text.startswith("]", at):
            raise _not_json(text, at, "a comma or the end of the list is missing")
    if is_list and _skip_space(text, at + 1) != len(text):
        raise _not_json(text, at, "the list has no end, or text after it")


def first_row(text: str) -> list[Any]:
    """Return the first of the lists that a text begins with; [] for anything else.

    >>> first_row('[["id", "text"], ["1"'), first_row('["id"]\\n["1"]'), first_row('["One."]')
    (['id', 'text'], ['id'], [])
    """
    with suppress(Fault, StopIteration):
        value = next(read_json(text))[1]
        return value if isinstance(value, list) else []
    return []


def _skip_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _parse(text: str, at: int) -> tuple[Any, int]:
    """Return the value at a position, and the position after it."""
    try:
        value, at = DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _not_json(text, error.pos, error.msg[:1].lower() + error.msg[1:]) from None
    except Fault as fault:
        raise Fault(f"the file cannot be read: {fault.problem}", fault.fix) from None
    except RecursionError:
        raise _not_json(text, at, "the JSON is nested too deeply") from None
    except ValueError:
        raise _not_json(text, at, "a number cannot be stored") from None
    return value, _skip_space(text, at)


def _not_json(text: str, at: int, reason: str) -> Fault:
    line = text.count("\n", 0, at) + 1
    problem = f"the file is not JSON from line {line} on: {reason}"
    return Fault(problem, "export it again, or correct that line")


def holds_records(value: dict[str, Any]) -> bool:
    """Return whether an object is not a record itself, but has records inside."""
    records = records_of(value)
    return len(records) != 1 or records[0] is not value


def records_of(value: dict[str, Any]) -> list[Any]:
    """Return the records in an object, or else the object itself.

    >>> records_of({"id": {"0": "a", "1": "b"}, "text": {"0": "One.", "1": "Two."}})
    [{'id': 'a', 'text': 'One.'}, {'id': 'b', 'text': 'Two.'}]
    >>> records_of({"columns": ["id", "text"], "index": [0], "data": [["a", "One."]]})
    [{'id': 'a', 'text': 'One.'}]
    >>> records_of({"q1": {"claim": "One."}, "q2": {"claim": "Two."}})
    [{'id': 'q1', 'claim': 'One.'}, {'id': 'q2', 'claim': 'Two.'}]
    >>> records_of({"args": {"model": "m"}, "data": [{"question": "Q?"}]})
    [{'question': 'Q?', 'model': 'm'}]
    >>> records_of({"dev": [{"claim": "One."}], "test": [{"claim": "Two."}]})
    [{'claim': 'One.', 'part': 'dev'}, {'claim': 'Two.', 'part': 'test'}]
    """
    pairs = _search(value, ())
    if not pairs:
        return [] if [] in value.values() else [value]
    if len({path for path, _ in pairs}) == 1 and len(pairs[0][0]) < 2:
        return [record for _, record in pairs]
    ids = [record.get("id") for _, record in pairs if isinstance(record, dict)]
    is_repeated = None not in ids and len({*map(str, ids)}) < len(ids)
    records: list[Any] = []
    for path, record in pairs:
        if isinstance(record, dict):
            part = "/".join(path)
            name = {"id": f"{part}/{record['id']}"} if is_repeated else {}
            record = {**record, **name, PART: record.get(PART, PartName(part))}
        records.append(record)
    return records


_Path = tuple[str, ...]


def _search(value: dict[str, Any], path: _Path) -> list[tuple[_Path, Any]]:
    """Find records with the keys around them, without their own."""
    if _is_record(value):
        return [(path, value)]
    columns, data = value.get("columns"), value.get("data")
    if isinstance(columns, list) and isinstance(data, list):
        return [((), each) for each in _split_rows(value, columns, data)]
    values = [*value.values()]
    if any(values) and all(isinstance(each, dict) for each in values):
        return _search_objects({key: each for key, each in value.items() if each}, path)
    if all(isinstance(each, str) and not _is_name(key) for key, each in value.items()):
        return [(path, {"id": key, "text": each}) for key, each in value.items()]
    if values and any(map(_is_known, value)) and all(map(_is_column, values)):
        lengths = {len(each) for each in values}
        if len(lengths) == 1:
            rows = zip(*values, strict=True)
            return [((), dict(zip(value, row, strict=True))) for row in rows]
    if lists := {key: each for key, each in value.items() if _has_objects(each)}:
        known = [key for key in lists if _is_record(lists[key][0])]
        longest = max(lists, key=lambda key: len(lists[key]))
        pairs = [((*path, key), record) for key in known or [longest] for record in lists[key]]
        args = value.get("args")
        model = args.get("model") if isinstance(args, dict) else None
        if model and isinstance(model, str):
            for _, record in pairs:
                if isinstance(record, dict):
                    record.setdefault("model", model)
        return pairs
    return _search_inside(value, path)


def _search_inside(value: Mapping[str, Any], path: _Path) -> list[tuple[_Path, Any]]:
    if len(path) >= MAX_LEVELS:
        return []
    return [
        pair
        for key, each in value.items()
        if isinstance(each, dict)
        for pair in _search(each, (*path, key))
        if pair[1] is not each
    ]


def _search_objects(value: dict[str, dict[str, Any]], path: _Path) -> list[tuple[_Path, Any]]:
    """Find the records in an object of objects: rows by name, columns, or further levels."""
    inner = [*value.values()]
    if all(isinstance(each, dict) for object_ in inner for each in object_.values()):
        return _search_inside(value, path)
    are_alike = all(object_.keys() == inner[0].keys() for object_ in inner)
    if are_alike and _has_columns(value, inner[0]):
        rows = {key: {name: value[name][key] for name in value} for key in inner[0]}
        if [*rows] == [str(number) for number in range(len(rows))]:
            return [((), row) for row in rows.values()]
        value = rows
    elif not are_alike and not _are_records(inner):
        return _search_inside(value, path)
    elif [*value] == [str(number) for number in range(len(value))]:
        return [((), row) for row in inner]
    return [
        (path, each if "id" in each else {"id": key, **each})
        for key, each in value.items()
        if are_alike or _is_record(each)
    ]


def _is_record(value: Mapping[str, Any]) -> bool:
    plain = {key: each for key, each in value.items() if not isinstance(each, dict)}
    return "input_info" in value or bool(record_format(plain, is_document=True))


def _are_records(values: list[dict[str, Any]]) -> bool:
    """Return whether most of the objects are records with a common key."""
    records = [value.keys() for value in values if _is_record(value)]
    with_texts = [value for value in values if any(map(_is_text, value.values()))]
    return len(records) * 2 > len(with_texts) and bool(set(records[0]).intersection(*records))


def _has_columns(outer: Mapping[str, Any], inner: Mapping[str, Any]) -> bool:
    """Return whether the outer keys, and not the inner ones, name columns."""
    for is_name in (_is_known, _is_name):
        outer_count, inner_count = sum(map(is_name, outer)), sum(map(is_name, inner))
        if bool(outer_count) != bool(inner_count):
            return bool(outer_count)
    return len(outer) < len(inner)


def _is_known(name: str) -> bool:
    return plain_name(name) in KNOWN_NAMES


def _is_name(name: str) -> bool:
    return not name[-1:].isdecimal()


def _split_rows(value: Mapping[str, Any], columns: list[Any], data: list[Any]) -> list[Any]:
    """Return the rows of pandas' layout `split`, with the index if it has names."""
    index = value.get("index")
    is_numbered = not isinstance(index, list) or index == [*range(len(data))]
    names = [str(column) for column in columns]
    rows: list[Any] = []
    for number, row in enumerate(data):
        if not isinstance(row, list) or len(row) != len(names):
            rows.append(row)
            continue
        made = dict(zip(names, row, strict=True))
        if not is_numbered and isinstance(index, list) and number < len(index):
            made.setdefault("index", index[number])
        rows.append(made)
    return rows


def _is_column(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and not _has_objects(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str | list)


def _has_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)
