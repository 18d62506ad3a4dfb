"""Passages out of tables: delimiters, quotes, marks and the faults of spreadsheets."""

from pathlib import Path

import pytest

from pipeline.importing.passages import PassageRow, RowError, read_passages
from tests.support.factories import make_row


def read(tmp_path: Path, content: bytes) -> list[PassageRow | RowError]:
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    return list(read_passages(path))


@pytest.mark.parametrize("delimiter", [b",", b";", b"\t"])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_every_delimiter_and_line_ending_is_read(
    tmp_path: Path, delimiter: bytes, ending: bytes
) -> None:
    lines = [
        delimiter.join([b"\xef\xbb\xbfId", b" Text ", b"context", b"model"]),
        delimiter.join([b"1", b'"One' + delimiter + b' two."', b"Q?", b"m"]),
    ]
    assert read(tmp_path, ending.join(lines) + ending) == [
        make_row(
            line=2,
            format="csv",
            external_id="1",
            text=f"One{delimiter.decode()} two.",
            context="Q?",
            source={"model": "m"},
        )
    ]


def test_a_quoted_text_may_run_over_lines_and_rows_keep_their_numbers(tmp_path: Path) -> None:
    result = read(tmp_path, b'text\n"one\n\ntwo"\n\nthree\n')
    assert [(row.line, row.text) for row in result if isinstance(row, PassageRow)] == [
        (2, "one\n\ntwo"),
        (6, "three"),
    ]


def test_a_row_may_lack_its_last_cells(tmp_path: Path) -> None:
    assert read(tmp_path, b"text,id,context\nOne.,a\n") == [
        make_row(line=2, format="csv", external_id="a", text="One.")
    ]


def test_columns_keep_their_case_but_fields_are_found_in_any(tmp_path: Path) -> None:
    content = b"ID,Text,INT & AIS,Flagged\nr1,The Ribble ends at Lytham.,1,0\n"
    assert read(tmp_path, content) == [
        make_row(
            line=2,
            format="csv",
            external_id="r1",
            text="The Ribble ends at Lytham.",
            source={"INT & AIS": "1", "Flagged": "0"},
        )
    ]


@pytest.mark.parametrize("text", ["Answer", "answer", "ANSWER"])
def test_a_chosen_column_is_found_in_any_case(tmp_path: Path, text: str) -> None:
    path = tmp_path / "in.csv"
    path.write_text("Answer,A,a\nOne.,1,2\n")
    columns = {"text": text, "context": "", "id": ""}
    (row,) = read_passages(path, columns=columns)
    assert isinstance(row, PassageRow)
    assert (row.text, row.source.extra) == ("One.", {"A": "1", "a": "2"})


def test_a_column_with_the_very_name_goes_before_one_in_another_case(tmp_path: Path) -> None:
    (row,) = read(tmp_path, b"Text,text\nOne.,Two.\n")
    assert isinstance(row, PassageRow)
    assert (row.text, row.source.extra) == ("Two.", {"Text": "One."})


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"Text,TEXT\n1,a\n", 1, "names the column text twice"),
        (b"id,body\n1,a\n", 1, "names no column text"),
        (b"id,text,text\n1,a,b\n", 1, "names the column text twice"),
        (b"text,id\rone,1\r", 1, "lone carriage return"),
        (b"text,id\none,1,extra\n", 2, "3 cells, the first line names 2"),
        (b"text,id\n,1\n", 2, "text is empty"),
        (b"text,id\ncaf\xe9,1\n", 2, "not UTF-8"),
        (b"text,n\x00te\none,a\n", 1, "NUL"),
        (b"text,note\none,a\x00b\n", 2, "NUL"),
        (b"text,id\none\x00,b\n", 2, "NUL"),
        (b'text,id\n"one' + b"x" * 5_000_000, 2, "cannot be read"),
        (b'id,text\n1,"never closed', 2, "never closed or comes alone"),
        (b'id,text\n1,"never closed' + b"\n2,b" * 1_000, 2, "never closed or comes alone"),
        (b'id,text\n1,"never closed\n2,"fine"\n', 2, "never closed or comes alone"),
        (b'id,text\n1,"He said "hi" to me."\n', 2, "never closed or comes alone"),
        (b'id,"text\n1,a\n', 1, "never closed or comes alone"),
        (b'id,text\n1,"a ""quoted"" word\n', 2, "never closed or comes alone"),
        (",".join(["text", *map(str, range(500))]).encode() + b"\na\n", 1, "501 columns"),
    ],
)
def test_each_fault_has_its_sentence(tmp_path: Path, content: bytes, line: int, words: str) -> None:
    (error,) = read(tmp_path, content)
    assert isinstance(error, RowError)
    assert error.line == line
    assert words in str(error)


def test_a_bad_line_does_not_stop_the_others(tmp_path: Path) -> None:
    result = read(tmp_path, b"text\none\nb\xffd\ntwo\n")
    assert [type(item).__name__ for item in result] == ["PassageRow", "RowError", "PassageRow"]
    assert [item.line for item in result] == [2, 3, 4]


def test_what_precedes_a_broken_row_is_read(tmp_path: Path) -> None:
    result = read(tmp_path, b'id,text\n1,one\n2,"two\nlines"\n3,"never closed\n4,four\n')
    assert [(type(item).__name__, item.line) for item in result] == [
        ("PassageRow", 2),
        ("PassageRow", 3),
        ("RowError", 5),
    ]


def test_quotation_marks_within_a_text_are_kept(tmp_path: Path) -> None:
    (first, second) = read(tmp_path, b'text\n"a ""quoted"" word"\nsay "hi" to me\n')
    assert isinstance(first, PassageRow)
    assert isinstance(second, PassageRow)
    assert (first.text, second.text) == ('a "quoted" word', 'say "hi" to me')


def test_a_first_line_of_as_many_columns_as_may_be_is_read(tmp_path: Path) -> None:
    header = ",".join(["text", *map(str, range(499))]).encode()
    (row,) = read(tmp_path, header + b"\na\n")
    assert isinstance(row, PassageRow)
    assert len(row.source.extra) == 499
