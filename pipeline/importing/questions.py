"""Questions: to generate passages from, or as bare questions that a strategy answers.

A line is a JSON object: `{"id": …, "question": …}`, or `query` for the question. For a dialog,
`context` holds the turns before it, one a line, or the list `turns` holds all of them, beginning
with the user's. The other fields of the object, such as gold answers, are kept. As bare questions
these are read too: MIRACL's lines (`positive_passages`), one JSON list, and a table with a column
question.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pipeline.importing import csv_table
from pipeline.importing.alce import read_items
from pipeline.importing.columns import PASSAGE_FIELDS, plain_name
from pipeline.importing.fields import make_row
from pipeline.importing.lines import check_object, read_lines, read_rows, rows_of_lines
from pipeline.importing.question_rows import (
    ID_FIELDS,
    QUOTES,
    TEXT_FIELDS,
    asked,
    bare_question,
    dialog,
)
from pipeline.importing.rows import Fault, PassageRow, RowError

ALCE = {"docs", "qa_pairs", "annotations", "answers", "claims"}
"""What an item of ALCE's data can have beside its question."""
OWN = {"id", "query_id", *TEXT_FIELDS, "context", "turns"}
COLUMNS = (*TEXT_FIELDS, *ID_FIELDS, "context", *QUOTES)


def read_questions(path: Path) -> Iterator[PassageRow | RowError]:
    """Each question as a row: the question is the text, the turns before it are the context.

    An id that comes twice is an error; a row without one gets an id from its content. Raises
    `UnreadableFile` if the file cannot be opened.
    """
    lines_by_id: dict[str, int] = {}
    for row in read_rows(path, _rows):
        if isinstance(row, PassageRow):
            first = lines_by_id.setdefault(row.external_id, row.line)
            if first != row.line:
                yield Fault(
                    f"line {first} has the same id or the same question",
                    "give each question an id of its own, or take one of them out",
                    field="id",
                    value=row.external_id,
                ).at(path.name, row.line)
                continue
        yield row


def dialog_of(row: PassageRow) -> str:
    """The whole dialog, with the question as its last turn."""
    return dialog(row.text, row.context)


def _rows(line: int, row: dict[str, Any]) -> Iterator[PassageRow]:
    field, question, context = asked(row)
    yield make_row(
        line,
        external_id=row.get("id", row.get("query_id")),
        text=question,
        context=context,
        source={key: value for key, value in row.items() if key not in OWN},
        names=("id", field, "context"),
    )


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A bare question for each; see `question_rows`."""
    beginnings = (item[1] for item in read_lines(path) if not isinstance(item, RowError))
    opening = next(filter(str.strip, beginnings), "").lstrip()[:1]
    if opening not in {"[", "{"}:
        return csv_table.read_table(path, bare_question, text=None, known=COLUMNS)
    if opening == "{":
        return read_rows(path, lambda line, row: [bare_question(line, row)])
    return rows_of_lines(
        read_items(path),
        lambda line, item: [bare_question(line, check_object(item))],
        name=path.name,
    )


def asks_only(names: Iterable[str]) -> bool:
    """Whether one of a line's fields is a question, and none could be a passage.

    >>> asks_only({"id": 1, "question": "Where?", "answers": ["There."]})
    True
    >>> asks_only({"question": "Where?", "answer": "There."})
    False
    """
    texts = {*PASSAGE_FIELDS["text"].split()}
    found = {plain_name(name) for name in names}
    return not texts & found and any(field in found for field in TEXT_FIELDS)


def is_list(path: Path) -> bool:
    """Whether a file of one JSON list begins with a question: also ALCE's data before a run."""
    try:
        _, item = next(read_items(path), (0, {}))
        row = check_object(item)
    except Fault:
        return False
    is_data = any(field in row for field in TEXT_FIELDS) and bool(ALCE & row.keys())
    return "output" not in row and (asks_only(row) or is_data)
