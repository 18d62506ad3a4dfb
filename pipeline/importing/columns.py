"""Guesses of the column or key of each field."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from pipeline.importing.lines import with_nested
from pipeline.importing.rows import MAX_ID_CHARACTERS, shortened

MAX_COLUMNS = 500
MAX_NAME_CHARACTERS = 200
"""A longer name is text: the table has no header."""
LONG_TEXT = 20
"""Characters on average."""
SAMPLE_ROWS = 50
"""Rows to guess from."""
SAMPLE_CHARACTERS = 160
METADATA, IGNORED = "metadata", "ignored"
"""What a column becomes that holds no field: kept with the passage, or not."""
PASSAGE_FIELDS = {
    "text": "text passage claim hypothesis answer response output modeloutput actualoutput "
    "prediction generation generatedtext generatedanswer completion statement summary content "
    "body",
    "context": "context question query prompt instruction userinput input dialog dialogue history",
    "sources": "contexts quotes docs references evidence sources premise retrievedcontexts "
    "retrievedcontext retrievalcontext sourcedocuments documents evidences passages "
    "positivepassages context",
    "id": "id passageid claimid answerid exampleid key uid uuid questionid queryid qid "
    "nr no number #",
    "label": "attributionlabel attributable isattributable ais",
    "model": "model modelname llm",
}
"""Usual names of each field, the likeliest first."""
DOCUMENT_FIELDS = {
    "text": "text content contents body document passage article abstract",
    "title": "title name heading headline",
    "url": "url link uri href sourceurl address source",
    "id": "id docid documentid key uid uuid pid",
}
KNOWN_NAMES = frozenset(
    name
    for fields in (PASSAGE_FIELDS, DOCUMENT_FIELDS)
    for names in fields.values()
    for name in names.split()
)
LABELS: dict[str, int | None] = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "attributable", "supported"), 1),
    **dict.fromkeys(("0", "0.0", "false", "no", "not attributable", "not supported"), 0),
    **dict.fromkeys(("", "none", "null", "nan"), None),
}
"""By a label in lower case."""
_ID_NAME = re.compile(r"(?:^|[\W_])(?i:[a-z]?(?:id|idx|key)$)|(?<=[a-z])I[dD]$")


_NAME = re.compile(r"[\w:/#-]*\w")


def flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by column; keys of inner objects get dotted names."""
    if not any(isinstance(value, dict) for value in record.values()):
        return {**record}
    values = with_nested(record)
    return {name: value for name, value in values.items() if not isinstance(value, dict)}


def names_of(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for row in rows for name in row if name)
    short = (name for name in names if len(name) <= MAX_NAME_CHARACTERS)
    return list(islice(short, MAX_COLUMNS))


def guess_columns(
    rows: Sequence[Mapping[str, Any]],
    *,
    fields: Mapping[str, str],
    chosen: Mapping[str, str] | None = None,
) -> tuple[dict[str, str], bool]:
    """Guess each field's column, "" for none, and whether a name tells that of the text.

    `chosen` columns stay if the file has them, in any case. Empty columns are never guessed.

    >>> guess_columns([{"Answer": "It ends in the sea.", "n": 1}], fields=PASSAGE_FIELDS)
    ({'text': 'Answer', 'context': '', 'sources': '', 'id': '', 'label': '', 'model': ''}, True)
    """
    if not (names := names_of(rows)):
        return {field: known.split()[0] for field, known in fields.items()}, True
    filled = [name for name in names if any(_is_filled(row.get(name)) for row in rows)]
    given = [name for name in names if any(row.get(name) not in (None, "") for row in rows)]
    guessed = {
        field: next(
            _alike(
                _fitting(given if field == "id" else filled, rows, field),
                rows,
                known.split(),
                is_id=field == "id",
            ),
            "",
        )
        for field, known in fields.items()
    }
    if "sources" in guessed and guessed["sources"] == guessed["context"]:
        guessed["sources"] = ""
    if not guessed["text"] and not long_texts(rows, except_for=guessed.values()):
        # All empty, which is an error of each row.
        guessed["text"] = next(_alike(names, rows, fields["text"].split(), is_id=False), "")
    if "id" in guessed and not guessed["id"]:
        ids = id_columns(rows)
        guessed["id"] = next((name for name in ids if _is_id_name(name)), "")
    for field, column in (chosen or {}).items():
        actual = _in_file(column, names)
        if field in fields and (actual or not column):
            guessed[field] = actual
    text = (chosen or {}).get("text") and guessed["text"]
    if not text and guessed["text"] and _has_names(guessed["text"], rows):
        # Names such as ids, next to a column of longer texts.
        alike = _alike(filled, rows, fields["text"].split(), is_id=False)
        others = [name for name in alike if not _has_names(name, rows)]
        is_name = bool(others or long_texts(rows, except_for=guessed.values()))
        guessed["text"] = (others or [""])[0] if is_name else guessed["text"]
    is_sure = bool(guessed["text"])
    if not is_sure:
        free = [name for name in filled if name not in guessed.values()] or names
        guessed["text"] = max(free, key=lambda name: _length(name, rows))
    guessed = {
        field: "" if field != "text" and column == guessed["text"] else column
        for field, column in guessed.items()
    }
    return guessed, is_sure


def id_columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns with a different value without spaces in each row.

    >>> id_columns([{"sid": 1, "label": "a"}, {"sid": 2, "label": "a"}])
    ['sid']
    """
    return [name for name in names_of(rows) if _is_unique(name, rows)]


def long_texts(rows: Sequence[Mapping[str, Any]], *, except_for: Iterable[str]) -> list[str]:
    """Return the other columns of long texts, the longest first."""
    free = [name for name in names_of(rows) if name not in {*except_for}]
    lengths = {name: _length(name, rows) / len(rows) for name in free}
    long = [name for name in free if lengths[name] >= LONG_TEXT and _has_spaces(name, rows)]
    return sorted(long, key=lambda name: -lengths[name])


def _fitting(names: Iterable[str], rows: Sequence[Mapping[str, Any]], field: str) -> list[str]:
    """Return the columns whose values a field can have."""
    if field == "label":
        return [name for name in names if all(label_key(row.get(name)) in LABELS for row in rows)]
    if field == "model":
        return [name for name in names if "." not in name]
    if field == "context":
        return [name for name in names if not all(isinstance(row.get(name), list) for row in rows)]
    return [*names]


def label_key(value: Any) -> str:
    return "" if value is None else str(value).strip().lower()


def roles_of(
    columns: Mapping[str, str], *, names: Iterable[str], ignored: Collection[str], other: str
) -> dict[str, str]:
    """Return what each column becomes: a field, `other`, or ignored.

    >>> roles_of({"text": "a", "id": ""}, names="abc", ignored="c", other=METADATA)
    {'a': 'text', 'b': 'metadata', 'c': 'ignored'}
    """
    fields = {column: field for field, column in columns.items()}
    return {name: fields.get(name, IGNORED if name in ignored else other) for name in names if name}


def samples_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the first two values of each column.

    >>> samples_of([{"a": "", "b": ["One."]}, {"a": 1.5}, {"a": "x"}, {"a": "y"}])
    {'a': ['1.5', 'x'], 'b': ['["One."]']}
    """
    samples: dict[str, list[str]] = {}
    for row in rows:
        for name, value in row.items():
            texts = samples.setdefault(name, [])
            if _is_filled(value) and len(texts) < 2:
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                texts.append(shortened(text.strip(), limit=SAMPLE_CHARACTERS))
    return samples


def _alike(
    names: Sequence[str], rows: Sequence[Mapping[str, Any]], known: Sequence[str], *, is_id: bool
) -> Iterator[str]:
    inner = {plain_name(name.rpartition(".")[2]): name for name in reversed(names)}
    plain = inner | {plain_name(name): name for name in reversed(names)}
    plain |= {name: name for name in names if name in known}
    for name in known:
        # Several answers to one question share the question's id.
        is_sure = not is_id or plain_name(plain.get(name, "")) == "id"
        if name in plain and (is_sure or _is_unique(plain[name], rows)):
            yield plain[name]


def plain_name(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower())) or name.strip()  # "#"


def _in_file(column: str, names: Sequence[str]) -> str:
    if column in names:
        return column
    return next((name for name in names if column and name.lower() == column.lower()), "")


def _is_id_name(name: str) -> bool:
    """Return whether a name ends as those of ids do.

    >>> [name for name in ("sid", "ex-idx", "grid", "meta.id", "instance_id") if _is_id_name(name)]
    ['sid', 'ex-idx', 'meta.id', 'instance_id']
    """
    return bool(_ID_NAME.search(name))


def _is_filled(value: Any) -> bool:
    return bool(value.strip()) if isinstance(value, str) else value not in (None, [], {})


def _is_unique(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    values = [row.get(name) for row in rows]
    if not all(_is_filled(value) and type(value) in {str, int, float} for value in values):
        return False
    texts = {str(value).strip() for value in values}
    return len(texts) == len(values) and all(
        len(text) <= MAX_ID_CHARACTERS and " " not in text for text in texts
    )


def _length(name: str, rows: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(row[name]) for row in rows if isinstance(row.get(name), str))


def _has_spaces(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    return any(" " in row[name].strip() for row in rows if isinstance(row.get(name), str))


def _has_names(column: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether all values are like ids, and not like texts."""
    return all(_NAME.fullmatch(str(row[column])) for row in rows if _is_filled(row.get(column)))
