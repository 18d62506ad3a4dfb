"""Columns under the file's own names: which is guessed, and what is read from them."""

import json
from pathlib import Path

import pytest

from pipeline.importing.columns import PASSAGE_FIELDS, guess_columns
from pipeline.importing.corpus_files import inspect_table, read_corpus
from pipeline.importing.passages import PassageRow, inspect_file, read_passages
from pipeline.importing.rows import DocumentRow, RowError
from tests.support.commands import write_lines
from tests.support.factories import only

ANSWERS = {"text": "answer", "context": "question", "id": ""}
CLAIM = {"id": "a", "question": "Q?", "claim": "A.", "response": "A. B.", "references": ["E."]}
PAIR = {"id": "a", "premise": "Evidence.", "hypothesis": "A.", "context": "Q?", "label": 0}
CONTENTS = {
    "csv": "question,answer,model\nQ?,A.,m\n",
    "jsonl": '{"question": "Q?", "answer": "A.", "model": "m"}\n',
}


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([{"id": 1, "context": "Q?", "text": "A."}], ("text", "context", "id")),
        ([{"Question": "Q?", "Model output": "A.", "n": 1}], ("Model output", "Question", "")),
        # Where no name tells, a text with a known word in its name, or else the longest.
        ([{"a": "x", "b": "A long sentence."}], ("b", "", "")),
        (
            [{"question_text": "Who is it?", "right_answer": "Ada Lee."}],
            ("right_answer", "question_text", ""),
        ),
        ([{"question_text": "Who is it?", "n": "12"}], ("", "question_text", "")),
        ([{"start": "2024-05-01 10:00 UTC", "scores": [1, 2], "kind": "sampling"}], ("", "", "")),
        # A context beside a question is its source.
        ([{"context": "E.", "question": "Q?", "answer": "A."}], ("answer", "question", "")),
        # An id of the question, which two answers share, is none of theirs.
        ([{"question_id": 7, "answer": text} for text in "AB"], ("answer", "", "")),
        # A file's own id column is taken by its word, so that ids that come twice are found.
        ([{"id": 7, "text": "A."}, {"id": 7, "text": "B."}], ("text", "", "id")),
        # A key of the row comes before one of an object, whose id may be the question's.
        ([{"text": text, "meta.text": "B.", "meta.id": 7} for text in "AB"], ("text", "", "")),
        # Numbers of the rows are ids, from 0 on too, unless one comes twice.
        ([{"Nr.": 0, "answer": "A."}, {"Nr.": 1, "answer": "B."}], ("answer", "", "Nr.")),
        ([{"no": "1", "answer": "A."}, {"no": "2", "answer": "B."}], ("answer", "", "no")),
        ([{"Number": "1", "answer": "A."}], ("answer", "", "Number")),
        ([{"#": "1", "answer": "A."}, {"#": "2", "answer": "B."}], ("answer", "", "#")),
        ([{"#": "1", "answer": "A."}, {"#": "1", "answer": "B."}], ("answer", "", "")),
        # AttributionBench's claims, and the pairs that studies of entailment make of them.
        ([CLAIM], ("claim", "question", "id")),
        ([PAIR], ("hypothesis", "context", "id")),
        # A key may come later than in the first row.
        ([{"text": "A."}, {"text": "B.", "prompt": "Q?"}], ("text", "prompt", "")),
    ],
)
def test_columns_are_guessed(rows: list[dict[str, object]], columns: tuple[str, str, str]) -> None:
    guessed, _ = guess_columns(rows, fields=PASSAGE_FIELDS)
    assert (guessed["text"], guessed["context"], guessed["id"]) == columns


def test_what_was_chosen_stays_where_the_file_has_it() -> None:
    rows = [{"text": "short", "notes": "a long note", "context": "Q?"}]
    chosen = {"text": "notes", "context": "", "id": "gone"}
    expected = dict.fromkeys(PASSAGE_FIELDS, "") | {"text": "notes"}
    assert guess_columns(rows, fields=PASSAGE_FIELDS, chosen=chosen) == (expected, True)


@pytest.mark.parametrize("format_", CONTENTS)
def test_passages_are_read_from_the_columns_that_hold_them(tmp_path: Path, format_: str) -> None:
    path = tmp_path / f"in.{format_}"
    path.write_text(CONTENTS[format_])
    assert inspect_file(path).format == format_
    row = only(PassageRow, read_passages(path, columns=ANSWERS))
    assert (row.text, row.context, row.source.extra) == ("A.", "Q?", {"model": "m"})
    assert row.external_id.startswith("sha-")


def test_keys_of_an_object_are_columns_by_their_dotted_names(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    line = {"meta": {"question": "Q?", "id": "a1", "model": "m"}, "output": {"text": "A."}}
    path.write_text(json.dumps(line) + "\n")
    shape = inspect_file(path)
    assert shape.format == "jsonl"
    columns = shape.columns
    expected = {"text": "output.text", "context": "meta.question", "id": "meta.id"}
    assert {field: column for field, column in columns.items() if column} == expected
    row = only(PassageRow, read_passages(path, columns=columns))
    assert (row.text, row.context, row.external_id) == ("A.", "Q?", "a1")
    assert row.source.extra == line, "the file's own shape is kept"
    columns = {"text": "output.text", "title": "meta.question", "url": "", "id": "meta.id"}
    document = only(DocumentRow, read_corpus(path, columns=columns))
    assert (document.external_id, document.document.title) == ("a1", "Q?")


def test_an_error_names_the_files_own_column_and_shows_its_row(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("question,answer\nQ?,\n")
    error = only(RowError, read_passages(path, columns=ANSWERS))
    assert str(error).startswith("in.csv, line 2, field answer: answer is empty")
    assert error.row == {"text": "", "context": "Q?"}


def test_documents_are_read_from_a_table(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text('headline;link;body\nRibble;https://example.org;"Runs west; far."\n')
    shape = inspect_table(path)
    assert shape
    assert shape.columns == {"text": "body", "title": "headline", "url": "link", "id": ""}
    row = only(DocumentRow, read_corpus(path))
    document = row.document
    assert (document.title, document.text) == ("Ribble", "Runs west; far.")
    assert document.url == "https://example.org"
    path.write_text(path.read_text() + path.read_text().splitlines()[1])
    again = only(DocumentRow, read_corpus(path))
    assert again.external_id == row.external_id, "equal rows are one"


def test_a_field_may_be_missing_in_the_first_rows(tmp_path: Path) -> None:
    lines = [{"text": f"Text {number}."} for number in range(60)]
    last = {"text": "A.", "id": "a", "context": "Q?", "references": ["E."]}
    path = write_lines(tmp_path / "in.jsonl", [*lines, last])
    row = list(read_passages(path))[-1]
    assert isinstance(row, PassageRow)
    assert (row.external_id, row.context) == ("a", "Q?")
    assert [each.text for each in row.source.with_text] == ["E."]


def test_a_column_that_a_table_does_not_have_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("text,note\nA.,n\n")
    error = only(RowError, read_passages(path, columns={"context": "question"}))
    assert "there is no column question (the columns are text, note)" in str(error)
