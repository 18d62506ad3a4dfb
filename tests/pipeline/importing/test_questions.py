"""Questions without answers: lists, tables, MIRACL's lines, and files to generate from."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.importing.hagrid import line_of
from pipeline.importing.passages import inspect_file, read_passages, read_questions
from pipeline.importing.questions import dialog_of
from pipeline.importing.rows import PassageRow, RowError
from tests.support.commands import write_lines
from tests.support.factories import only

RIBBLE = [
    {"docid": "25680#1", "title": "River Ribble", "text": "The Ribble runs to the Irish Sea."},
    {"docid": "25680#4", "title": "River Ribble", "text": "It ends near Lytham."},
]
TRENT = [{"docid": "9#0", "title": "Trent", "text": "The Trent runs north."}]
QUESTION = {"query_id": "7", "query": "Where does the Ribble end?", "negative_passages": TRENT}
MIRACL = {**QUESTION, "positive_passages": RIBBLE}
DIALOG = {"id": 1, "question": "", "turns": ["Who?", "Ada.", "When?"]}
DIALOG_LINES = "User: Who?\nSystem: Ada.\nUser: When?"


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def read(path: Path, content: object) -> list[Any]:
    """The rows of a file whose format is detected from its content."""
    path.write_text(content if isinstance(content, str) else lines(content))
    assert inspect_file(path).format == "questions"
    return list(read_passages(path))


def test_a_line_of_miracl_becomes_a_question_with_quotes(tmp_path: Path) -> None:
    (row,) = read(tmp_path / "dev.jsonl", MIRACL)
    assert (row.external_id, row.text, row.context) == ("7", "", "Where does the Ribble end?")
    quotes = [{"idx": number, **each} for number, each in enumerate(RIBBLE, 1)]
    assert row.source.extra == {**QUESTION, "quotes": quotes}


def test_a_question_leaves_as_a_hagrid_line_without_answers_and_comes_back(tmp_path: Path) -> None:
    (row,) = read(tmp_path / "dev.jsonl", MIRACL)
    line = line_of([row])
    assert (line["query"], line["query_id"], line["answers"]) == (row.context, "7", [])
    (again,) = read(tmp_path / "again.jsonl", line)
    assert again.content_hash == row.content_hash


def test_a_dialog_leaves_as_a_hagrid_line_with_all_its_turns(tmp_path: Path) -> None:
    (row,) = read(tmp_path / "in.jsonl", DIALOG)
    assert line_of([row])["query"] == row.context == DIALOG_LINES


@pytest.mark.parametrize(
    ("content", "name", "question"),
    [
        ({"id": 1, "question": "Where?", "answers": ["There."]}, "1", "Where?"),
        (DIALOG, "1", DIALOG_LINES),
        (
            {"id": 1, "question": "When?", "context": "Q: A?\nA: B."},
            "1",
            "Q: A?\nA: B.\nUser: When?",
        ),
        ("id,question\n1,Where?\n", "1", "Where?"),
        ("ID,Question,Note\n1,Where?,n\n", "1", "Where?"),
        ('[{"sample_id": "a", "question": "Where?", "answer": "So.", "docs": []}]', "a", "Where?"),
    ],
)
def test_other_shapes_of_questions_are_detected_from_their_content(
    tmp_path: Path, content: object, name: str, question: str
) -> None:
    (row,) = read(tmp_path / "in.data", content)
    assert (row.external_id, row.context, row.text) == (name, question, "")


def test_a_context_that_is_no_dialog_stays_next_to_the_question(tmp_path: Path) -> None:
    (row,) = read(tmp_path / "in", {"question": "Where?", "context": "The Ribble runs west."})
    assert (row.context, row.source.extra["context"]) == ("Where?", "The Ribble runs west.")


def test_gold_answers_and_documents_stay_as_they_came(tmp_path: Path) -> None:
    given = {"answers": [["There", "Here"]], "docs": [{"text": "It is."}]}
    (row,) = read(tmp_path / "in", {"question": "Where?", **given})
    assert {name: row.source.extra[name] for name in ("answers", "docs")} == given
    (row,) = read(tmp_path / "in", {"question": "Where?", "quotes": ["It is there."]})
    assert row.source.extra["quotes"] == [{"idx": 1, "docid": "1", "text": "It is there."}]


@pytest.mark.parametrize("shape", ["text", "answer", "response"])
def test_a_line_with_an_answer_is_no_bare_question(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "in"
    path.write_text(lines({"id": 1, "question": "Where?", shape: "There."}))
    assert inspect_file(path).format == "jsonl"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"query_id": 1, "query": " "}, "field query: query is empty; write the question"),
        ({**MIRACL, "positive_passages": "x"}, "positive_passages is a text, not a list (found x)"),
        ({**MIRACL, "positive_passages": [{"docid": "a"}]}, "field positive_passages[0].text"),
        ({"query": "Q?", "quotes": 2 * [{"idx": 1, "text": "a"}]}, "two quotes have the same idx"),
        ({"question": "Where?", "answers": [{"answer": "There."}]}, "choose the format hagrid"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, row: object, expected: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(lines({"question": "Where?"}, row))
    _, wrong = read_passages(path, format="questions")
    assert isinstance(wrong, RowError)
    assert "in.jsonl, line 2" in str(wrong)
    assert expected in str(wrong)


# ---- Questions to generate passages from ---------------------------------------------------------
def rows_of(folder: Path, *rows: object) -> list[PassageRow | RowError]:
    return list(read_questions(write_lines(folder / "q.jsonl", list(rows))))


def test_a_question_keeps_its_id_and_what_else_its_line_holds(tmp_path: Path) -> None:
    first, second = rows_of(
        tmp_path,
        {"id": 7, "question": "when?", "answers": ["1904"]},
        {"query_id": "b", "query": "who?"},
    )
    assert isinstance(first, PassageRow)
    assert (first.external_id, first.text) == ("7", "when?")
    assert first.source.extra == {"answers": ["1904"]}
    assert isinstance(second, PassageRow)
    assert (second.external_id, second.text, dialog_of(second)) == ("b", "who?", "User: who?")


def test_the_turns_of_a_dialog_become_lines(tmp_path: Path) -> None:
    row = only(PassageRow, rows_of(tmp_path, {"turns": ["Who built\nit?", "Ada Thorne.", "When?"]}))
    assert (row.text, row.context) == ("When?", "User: Who built it?\nSystem: Ada Thorne.")
    assert dialog_of(row) == "User: Who built it?\nSystem: Ada Thorne.\nUser: When?"


def test_a_question_without_an_id_gets_the_same_each_time(tmp_path: Path) -> None:
    first, again = (only(PassageRow, rows_of(tmp_path, {"query": "when?"})) for _ in range(2))
    assert first.external_id == again.external_id


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"id": "a"}, "line 2, field question: there is no question"),
        ({"id": "a", "query": 3}, "line 2, field query: query is a number"),
        ({"id": "a", "turns": "when?"}, "field turns: turns is"),
        ({"id": "a", "turns": ["when?", "1904."]}, "the last one is no question"),
        ({"id": "x", "question": "who?"}, "line 1 has the same id"),
    ],
)
def test_a_wrong_question_is_named(tmp_path: Path, row: object, expected: str) -> None:
    _, wrong = rows_of(tmp_path, {"id": "x", "question": "when?"}, row)
    assert isinstance(wrong, RowError)
    assert expected in str(wrong)
