"""Files of questions to generate passages from."""

from pathlib import Path

import pytest

from pipeline.importing.questions import dialog_of, read_questions
from pipeline.importing.rows import PassageRow, RowError
from tests.support.commands import write_lines


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
    (row,) = rows_of(tmp_path, {"turns": ["Who built\nit?", "Ada Thorne.", "When?"]})
    assert isinstance(row, PassageRow)
    assert (row.text, row.context) == ("When?", "User: Who built it?\nSystem: Ada Thorne.")
    assert dialog_of(row) == "User: Who built it?\nSystem: Ada Thorne.\nUser: When?"


def test_a_question_without_an_id_gets_the_same_each_time(tmp_path: Path) -> None:
    ids = {rows_of(tmp_path, {"question": "when?"})[0].external_id for _ in range(2)}  # type: ignore[union-attr]
    assert len(ids) == 1


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
def test_a_wrong_line_is_named(tmp_path: Path, row: object, expected: str) -> None:
    _, wrong = rows_of(tmp_path, {"id": "x", "question": "when?"}, row)
    assert isinstance(wrong, RowError)
    assert expected in str(wrong)
