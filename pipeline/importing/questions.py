"""Questions to generate passages from: one JSON object a line.

`{"id": …, "question": …}`, or `query` for the question. For a dialog, `context` holds the turns
before it, one a line, or the list `turns` holds all of them, beginning with the user's. The
passage keeps the other fields of the object, such as gold answers.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.importing.fields import make_row
from pipeline.importing.lines import kind_of, read_rows
from pipeline.importing.rows import Fault, PassageRow, RowError

TEXT_FIELDS = ("question", "query")
OWN = {"id", "query_id", *TEXT_FIELDS, "context", "turns"}
SPEAKERS = ("User", "System")


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
    said = f"{SPEAKERS[0]}: {' '.join(row.text.split())}"
    return f"{row.context.strip()}\n{said}" if row.context.strip() else said


def _rows(line: int, row: dict[str, Any]) -> Iterator[PassageRow]:
    name = next((field for field in TEXT_FIELDS if field in row), TEXT_FIELDS[0])
    question, context = row.get(name), row.get("context")
    if "turns" in row:
        turns = row["turns"]
        if not isinstance(turns, list) or not all(isinstance(turn, str) for turn in turns):
            problem = f"turns is {kind_of(turns)}, not a list of texts"
            fix = 'write ["first question", "its answer", "next question"]'
            raise Fault(problem, fix, field="turns")
        if len(turns) % 2 == 0:
            problem = f"there are {len(turns)} turns, so the last one is no question"
            raise Fault(problem, "end with the question to answer", field="turns")
        question = turns[-1]
        context = "\n".join(
            f"{SPEAKERS[place % 2]}: {' '.join(turn.split())}"
            for place, turn in enumerate(turns[:-1])
        )
    yield make_row(
        line,
        external_id=row.get("id", row.get("query_id")),
        text=question,
        context=context,
        source={key: value for key, value in row.items() if key not in OWN},
        names=("id", name, "context"),
    )
