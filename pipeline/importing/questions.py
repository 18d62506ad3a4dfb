"""Questions to generate passages from: one JSON object a line.

`{"id": …, "question": …}`, also with `query` for the question; for dialogs the turns before it
stand in `context`, one a line, or all of them in `turns`, a list that the user begins. Whatever
else the object holds, such as gold answers, is carried through to the passage.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.importing.fields import make_row
from pipeline.importing.lines import kind_of, read_objects
from pipeline.importing.rows import PassageRow, RowError

TEXT_FIELDS = ("question", "query")
OWN = {"id", "query_id", *TEXT_FIELDS, "context", "turns"}
SPEAKERS = ("User", "System")


def read_questions(path: Path) -> Iterator[PassageRow | RowError]:
    """Each question as the text of a row, the turns before it as its context; or what is wrong.

    An id that comes twice is an error, and one is made of the content where there is none.
    Raises `UnreadableFile` where the file cannot be opened.
    """
    lines_by_id: dict[str, int] = {}
    for item in read_objects(path):
        row = item if isinstance(item, RowError) else _row(*item, file=path.name)
        if isinstance(row, RowError):
            yield row
            continue
        first = lines_by_id.setdefault(row.external_id, row.line)
        if first != row.line:
            yield RowError(
                file=path.name,
                line=row.line,
                field="id",
                value=row.external_id,
                problem=f"line {first} has the same id or the same question",
                fix="give each question an id of its own, or take one of them out",
            )
            continue
        yield row


def dialog_of(row: PassageRow) -> str:
    """The question as the last turn of its dialog."""
    said = f"{SPEAKERS[0]}: {' '.join(row.text.split())}"
    return f"{row.context.strip()}\n{said}" if row.context.strip() else said


def _row(line: int, row: Mapping[str, Any], *, file: str) -> PassageRow | RowError:
    name = next((field for field in TEXT_FIELDS if field in row), TEXT_FIELDS[0])
    question, context = row.get(name), row.get("context")
    if "turns" in row:
        turns = row["turns"]
        if not isinstance(turns, list) or not all(isinstance(turn, str) for turn in turns):
            return RowError(
                file=file,
                line=line,
                field="turns",
                problem=f"turns is {kind_of(turns)}, not a list of texts",
                fix='write ["first question", "its answer", "next question"]',
            )
        if len(turns) % 2 == 0:
            return RowError(
                file=file,
                line=line,
                field="turns",
                problem=f"there are {len(turns)} turns, so the last one is no question",
                fix="end with the question to answer",
            )
        question = turns[-1]
        context = "\n".join(
            f"{SPEAKERS[place % 2]}: {' '.join(turn.split())}"
            for place, turn in enumerate(turns[:-1])
        )
    return make_row(
        file=file,
        line=line,
        external_id=row.get("id", row.get("query_id")),
        text=question,
        context=context,
        source={key: value for key, value in row.items() if key not in OWN},
        names=("id", name, "context"),
    )
