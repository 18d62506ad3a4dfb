"""Guesses of the column or key of each field."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from pipeline.importing.lines import MAX_NAME_CHARACTERS, with_nested
from pipeline.importing.passage_rows import is_evidence
from pipeline.importing.rows import MAX_ID_CHARACTERS, shortened

MAX_COLUMNS = 500
LONG_TEXT = 20
"""Characters on average."""
SAMPLE_ROWS = 50
"""Rows to guess from."""
SAMPLE_CHARACTERS = 160
METADATA, IGNORED = "metadata", "ignored"
"""What a column becomes that holds no field: kept with the passage, or not."""
QUESTIONS = "question query prompt instruction userinput input frage pregunta 質問 问题"
PASSAGE_FIELDS = {
    "text": "text claim hypothesis answer response output modeloutput actualoutput prediction "
    "generation generatedtext generatedanswer completion statement targettext passage "
    "summary content body antwort réponse respuesta 回答",
    "context": f"{QUESTIONS} dialog dialogue history context",
    "sources": "contexts quotes docs ctxs references evidence sources premise retrievedcontexts "
    "retrievedcontext retrievalcontext retrievedcontents sourcedocuments documents evidences "
    "passages positivepassages document article passage doc knowledge source quelle context",
    "id": "id passageid claimid answerid exampleid key uid uuid questionid queryid qid "
    "nr no number #",
    "label": "attributionlabel attributable isattributable ais",
    "model": "model modelname llm",
}
"""Usual names of each field, the likeliest first."""
DOCUMENT_FIELDS = {
    "text": "text content contents body document passage article abstract context",
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
KINDS = {each: {*PASSAGE_FIELDS[each].split()} for each in ("context", "text", "sources")}
"""Words in the names of columns of texts, by field."""
_WORD = re.compile(r"[A-Z]?[a-z]+")
_PROSE = re.compile(r"[^\W\d_]\s+[^\W\d_]|[\u2e80-\ud7ff]{4}")
"""Two words, or signs of a language that writes no spaces."""
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

    `chosen` columns stay if the file has them, in any case. Empty columns are never guessed. If no
    name tells that of the text, a word in the names of columns of texts does.

    >>> guess_columns([{"Answer": "It ends in the sea.", "n": 1}], fields=PASSAGE_FIELDS)
    ({'text': 'Answer', 'context': '', 'sources': '', 'id': '', 'label': '', 'model': ''}, True)
    """
    if not (names := names_of(rows)):
        return {field: known.split()[0] for field, known in fields.items()}, True
    filled = [name for name in names if any(_is_filled(row.get(name)) for row in rows)]
    alike = {
        field: [*_alike(_fitting(filled, rows, field), known.split())]
        for field, known in fields.items()
    }
    guessed = {field: next(iter(columns), "") for field, columns in alike.items()}
    if "id" in fields:
        guessed["id"] = _guess_id(names, rows, fields["id"].split())
    if "sources" in guessed and guessed["sources"] == guessed["context"]:
        guessed["sources"] = ""
    if guessed.get("sources") == "":
        lists = [name for name in filled if any(is_evidence(row.get(name)) for row in rows)]
        guessed["sources"] = lists[0] if len(lists) == 1 else ""
    for field, column in (chosen or {}).items():
        actual = column_in(names, column)
        if field in fields and (actual or not column):
            guessed[field] = actual
    is_sure = True
    if "text" in fields and not (chosen and column_in(names, chosen.get("text", ""))):
        others = [column for field, column in guessed.items() if field != "text"]
        texts = texts_in(rows, except_for=others)
        guessed["text"] = _known_text(alike["text"], rows, others)
        if not guessed["text"] and not texts:
            # All empty, which is an error of each row.
            empty = [name for name in names if name not in filled]
            guessed["text"] = next(_alike(empty, fields["text"].split()), "")
        is_sure = bool(guessed["text"])
        for field in () if is_sure else [each for each in KINDS if each in fields]:
            kinds = (field, "") if field == "text" else (field,)
            likely = (name for name in _fitting(texts, rows, field) if _kind(name) in kinds)
            guessed[field] = guessed[field] or next(likely, "")
    return {
        field: "" if field != "text" and guessed[field] == guessed.get("text") else guessed[field]
        for field in fields
    }, is_sure


def _known_text(
    alike: Sequence[str], rows: Sequence[Mapping[str, Any]], others: Sequence[str]
) -> str:
    """Choose the first column of texts; one named like an id only if no other is longer."""
    texts = [name for name in alike if not _has_names(name, rows)]
    if texts or not texts_in(rows, except_for=[*others, *alike], length=LONG_TEXT):
        return (texts or [*alike, ""])[0]
    return ""


def _guess_id(names: Sequence[str], rows: Sequence[Mapping[str, Any]], known: Sequence[str]) -> str:
    """Choose a column called id, else one with a different value in each row."""
    given = [name for name in names if any(row.get(name) not in (None, "") for row in rows)]
    unique = id_columns(rows)
    # Several answers to one question share the question's id.
    alike = (name for name in _alike(given, known) if plain_name(name) == "id" or name in unique)
    return next(alike, "") or next(filter(_ID_NAME.search, unique), "")


def id_columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns with a different value without spaces in each row.

    >>> id_columns([{"sid": 1, "label": "a"}, {"sid": 2, "label": "a"}])
    ['sid']
    """
    return [name for name in names_of(rows) if _is_unique(name, rows)]


def texts_in(
    rows: Sequence[Mapping[str, Any]], *, except_for: Iterable[str], length: int = 0
) -> list[str]:
    """Return the other columns of texts, or lists of texts, with `length` on average.

    The likeliest answers come first, of these the longest.
    """
    ranked: list[tuple[int, float, str]] = []
    order = ["text", "", *KINDS]
    for name in [name for name in names_of(rows) if name not in {*except_for}]:
        texts = [_as_text(row.get(name)) for row in rows]
        average = sum(map(len, texts)) / len(rows)
        if average >= length and any(map(_PROSE.search, texts)):
            ranked.append((order.index(_kind(name)), -average, name))
    return [name for _, _, name in sorted(ranked)]


def _kind(name: str) -> str:
    """Return the first field that a word of the name is known for.

    >>> _kind("question_text"), _kind("goldAnswer"), _kind("reference_contexts"), _kind("title")
    ('context', 'text', 'sources', '')
    """
    words = _words(name)
    return next((field for field, known in KINDS.items() if words & known), "")


def bare_question(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the column of the questions if no column holds a text; else "".

    >>> bare_question([{"question_text": "Where does it end?", "n": 1}])
    'question_text'
    >>> bare_question([{"input": "Where does it end?", "gold": "It ends in the sea."}])
    ''
    """
    if not rows:
        return ""
    columns, _ = guess_columns(rows, fields=PASSAGE_FIELDS)
    name = columns["context"]
    is_question = {plain_name(name), *_words(name)} & {*QUESTIONS.split()}
    has_texts = any(row.get(columns["text"]) is not None for row in rows)
    return name if is_question and not has_texts else ""


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return json.dumps(value[:3], ensure_ascii=False, default=str)
    return value if isinstance(value, str) else ""


def _fitting(names: Iterable[str], rows: Sequence[Mapping[str, Any]], field: str) -> list[str]:
    """Return the columns whose values a field can have."""
    if field == "label":
        return [name for name in names if all(label_key(row.get(name)) in LABELS for row in rows)]
    if field == "model":
        return [name for name in names if "." not in name]
    if field == "sources":
        return [name for name in names if not _has_names(name, rows)]
    if field in KINDS:
        filled = {name: [row[name] for row in rows if _is_filled(row.get(name))] for name in names}
        return [name for name in names if not all(isinstance(each, list) for each in filled[name])]
    return [*names]


def label_key(value: Any) -> str:
    return "" if value is None else str(value).strip().lower()


def roles_of(
    columns: Mapping[str, str],
    *,
    names: Iterable[str],
    sources: Iterable[str] = (),
    ignored: Collection[str],
    other: str,
) -> dict[str, str]:
    """Return what each column becomes: a field, `other`, or ignored.

    >>> roles_of({"text": "a", "id": ""}, names="abc", ignored="c", other=METADATA)
    {'a': 'text', 'b': 'metadata', 'c': 'ignored'}
    """
    fields = {column: field for field, column in columns.items()}
    fields |= dict.fromkeys(sources, "sources")
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


def _alike(names: Sequence[str], known: Sequence[str]) -> Iterator[str]:
    """Yield the columns of known names, the likeliest first."""
    inner = {plain_name(name.rpartition(".")[2]): name for name in reversed(names)}
    plain = inner | {plain_name(name): name for name in reversed(names)}
    plain |= {name: name for name in names if name in known}
    yield from (plain[name] for name in known if name in plain)


def plain_name(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower())) or name.strip()  # "#"


def column_in(names: Sequence[str], column: str) -> str:
    """Return the name of a column as the file writes it, in any case; "" if it has none."""
    if column in names:
        return column
    return next((name for name in names if column and name.lower() == column.lower()), "")


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


def _has_names(column: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether all values are like ids, and not like texts."""
    return all(_NAME.fullmatch(str(row[column])) for row in rows if _is_filled(row.get(column)))
