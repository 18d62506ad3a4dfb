"""Questions: to generate passages from, or as bare questions that a strategy answers.

A line is a JSON object: `{"id": …, "question": …}`, or `query` for the question. For a dialog,
`context` holds the turns before it, one a line, or the list `turns` holds all of them, beginning
with the user's. The other fields of the object, such as gold answers, are kept. As bare questions
these are read too: MIRACL's lines (`positive_passages`), BEIR's (`_id`, `text`), one JSON list, a
table with a column question, TREC's topics (an id, a tab, the question), and a folder or a ZIP of
such questions with judgments and documents (`question_sets`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.importing import csv_table, question_sets
from pipeline.importing.alce import read_items
from pipeline.importing.columns import PASSAGE_FIELDS, plain_name
from pipeline.importing.fields import make_row
from pipeline.importing.lines import kind_of, parse_object, read_lines, read_rows
from pipeline.importing.question_rows import make_question, read_quotes, read_topic
from pipeline.importing.rows import Fault, PassageRow, RowError
from pipeline.rarr.dialog import turns_of

TEXT_FIELDS = ("question", "query")
BEIR = {"_id", "text", "metadata"}
"""The keys of a line of BEIR's queries."""
ALCE = {"docs", "qa_pairs", "annotations", "answers", "claims"}
"""What an item of ALCE's data can have beside its question."""
ID_FIELDS = ("id", "query_id", "_id", "qid", "question_id", "sample_id")
OWN = {"id", "query_id", *TEXT_FIELDS, "context", "turns"}
QUOTES = ("quotes", "positive_passages")
SPEAKERS = ("User", "System")
_TOPICS = re.compile(r"[^\s]{1,100}\t[^\t]+")
_TOPIC = re.compile(r"[^\s]{1,100}\t[^\t]*\S[^\t]*\?")


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
    return _dialog(row.text, row.context)


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A bare question for each; see `question_rows`."""
    if question_sets.is_set(path):
        yield from question_sets.read(path, row_of=bare_question)
        return
    first = next((item[1] for item in read_lines(path) if not isinstance(item, RowError)
                  and item[1].strip()), "")  # fmt: skip
    if first.lstrip().startswith("["):
        yield from _of_list(path)
    elif first.lstrip().startswith("{"):
        yield from read_rows(path, lambda line, row: iter([bare_question(line, row)]))
    elif _TOPICS.fullmatch(first.rstrip("\r\n")) and not asks_only(csv_table.column_names(first)):
        yield from _topics(path)
    else:
        yield from csv_table.read_table(path, bare_question, text=None)


def is_question(row: Mapping[str, Any]) -> bool:
    """Whether a line with these keys asks, and says nothing that could be a passage.

    >>> is_question({"id": 1, "question": "Where?", "answers": ["There."]})
    True
    >>> is_question({"question": "Where?", "answer": "There."})
    False
    >>> is_question({"_id": "1", "text": "Where?"}), is_question({"_id": "1", "text": "There."})
    (True, False)
    """
    if asks_only(row):
        return True
    is_beir = row.keys() <= BEIR and {"_id", "text"} <= row.keys()
    return is_beir and ("metadata" in row or str(row["text"]).rstrip().endswith("?"))


def asks_only(names: Iterable[str]) -> bool:
    """Whether one of a line's fields is a question, and none could be a passage."""
    texts = {*PASSAGE_FIELDS["text"].split()}
    found = {plain_name(name) for name in names}
    return not texts & found and any(field in found for field in TEXT_FIELDS)


def is_list(path: Path) -> bool:
    """Whether a file of one JSON list begins with a question: also ALCE's data before a run."""
    try:
        _, text = next(iter(read_items(path)), (0, "{}"))
        row = parse_object(text)
    except Fault:
        return False
    is_data = any(field in row for field in TEXT_FIELDS) and bool(ALCE & row.keys())
    return "output" not in row and (is_question(row) or is_data)


def is_topic(line: str) -> bool:
    """Whether a line is a topic of TREC, by its look: an id, a tab, a question with its mark.

    >>> is_topic("0\\tIs Creole a pidgin of French?"), is_topic("id\\tthe text")
    (True, False)
    """
    return bool(_TOPIC.fullmatch(line.strip()))


def bare_question(line: int, row: Mapping[str, Any]) -> PassageRow:
    """A line of any of the shapes as a bare question. Raises `Fault`."""
    answers = row.get("answers")
    if isinstance(answers, list) and answers and isinstance(answers[0], dict):
        problem = "the question has answers that could be judged"
        raise Fault(problem, "choose the format hagrid", field="answers")
    field, question, context = _asked(row)
    name = next((key for key in ID_FIELDS if row.get(key) not in (None, "")), "id")
    said = next((key for key in QUOTES if row.get(key)), "")
    is_dialog = isinstance(context, str) and ("turns" in row or bool(turns_of(context)))
    used = {name, field, said, "query", "quotes", "turns"} | ({"context"} if is_dialog else set())
    used |= {key for key in ("answers", "metadata") if not row.get(key)}
    return make_question(
        line,
        name=row.get(name),
        question=question,
        quotes=read_quotes(row[said], field=said) if said else (),
        dialog=_dialog(question, context) if is_dialog and isinstance(question, str) else "",
        rest={key: value for key, value in row.items() if key not in used},
        names=(name, field),
    )


def _of_list(path: Path) -> Iterator[PassageRow | RowError]:
    """The questions of one JSON list, such as ALCE's data."""
    try:
        for line, text in read_items(path):
            try:
                yield bare_question(line, parse_object(text))
            except Fault as fault:
                yield fault.at(path.name, line)
    except Fault as fault:
        yield fault.at(path.name)


def _topics(path: Path) -> Iterator[PassageRow | RowError]:
    for item in read_lines(path):
        if isinstance(item, RowError):
            yield item
            continue
        line, text = item
        if not text.strip():
            continue
        try:
            yield bare_question(line, read_topic(text))
        except Fault as fault:
            yield fault.at(path.name, line)


def _rows(line: int, row: dict[str, Any]) -> Iterator[PassageRow]:
    field, question, context = _asked(row)
    yield make_row(
        line,
        external_id=row.get("id", row.get("query_id")),
        text=question,
        context=context,
        source={key: value for key, value in row.items() if key not in OWN},
        names=("id", field, "context"),
    )


def _asked(row: Mapping[str, Any]) -> tuple[str, Any, Any]:
    """The name of the field that asks, the question, and the turns before it."""
    name = next((field for field in TEXT_FIELDS if field in row), TEXT_FIELDS[0])
    if name not in row and "_id" in row and "text" in row:
        name = "text"
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
    return name, question, context


def _dialog(question: str, context: str) -> str:
    said = f"{SPEAKERS[0]}: {' '.join(question.split())}"
    return f"{context.strip()}\n{said}" if context.strip() else said
