"""Passages out of tables: delimiters, quotes, marks and the faults of spreadsheets."""

from pathlib import Path

import pytest

from pipeline.importing.passages import PassageRow, RowError, read_passages
from tests.support.factories import make_row, only


def read(tmp_path: Path, content: bytes) -> list[PassageRow | RowError]:
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    return list(read_passages(path))


@pytest.mark.parametrize("delimiter", [b",", b";", b"\t", b"|"])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_every_delimiter_and_line_ending_is_read(
    tmp_path: Path, delimiter: bytes, ending: bytes
) -> None:
    lines = [
        delimiter.join([b"\xef\xbb\xbfId", b" Text ", b"context", b"model"]),
        delimiter.join([b"1", b'"One' + delimiter + b' two."', b"Q?", b"m"]),
    ]
    text = f"One{delimiter.decode()} two."
    expected = make_row("1", text, context="Q?", source={"model": "m"}, format="csv", line=2)
    assert read(tmp_path, ending.join(lines) + ending) == [expected]


def test_a_quoted_text_may_run_over_lines_and_rows_keep_their_numbers(tmp_path: Path) -> None:
    rows = read(tmp_path, b'text\n"one\n\ntwo"\n\nthree\n')
    texts = [(row.line, row.text) for row in rows if isinstance(row, PassageRow)]
    assert texts == [(2, "one\n\ntwo"), (6, "three")]


def test_columns_keep_their_case_but_fields_are_found_in_any(tmp_path: Path) -> None:
    first = make_row("r1", source={"INT & AIS": "1", "Flagged": "0"}, format="csv", line=2)
    second = make_row("r2", source={"INT & AIS": "", "Flagged": ""}, format="csv", line=3)
    table = b"ID,Text,INT & AIS,Flagged\nr1,One.,1,0\nr2,One.\n"
    assert read(tmp_path, table) == [first, second]


@pytest.mark.parametrize("text", ["Answer", "answer", "ANSWER"])
def test_a_chosen_column_is_found_in_any_case(tmp_path: Path, text: str) -> None:
    path = tmp_path / "in.csv"
    path.write_text("Answer,A,a\nOne.,1,2\n")
    columns = {"text": text, "context": "", "id": ""}
    row = only(PassageRow, read_passages(path, columns=columns))
    assert (row.text, row.source.extra) == ("One.", {"A": "1", "a": "2"})


def test_a_column_with_the_very_name_goes_before_one_in_another_case(tmp_path: Path) -> None:
    row = only(PassageRow, read(tmp_path, b"Text,text\nOne.,Two.\n"))
    assert (row.text, row.source.extra) == ("Two.", {"Text": "One."})


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"id,bdy\n1,a\n", 0, "no column is known to hold the text"),
        (b"id,text,text\n1,a,b\n", 1, "names the column text twice"),
        (b"text,id\rone,1\n", 1, "lone carriage return"),
        (b"text,id\none,1,extra\n", 2, "3 cells, the first line 2"),
        (b"text,id\n,1\n", 2, "text is empty"),
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
    error = only(RowError, read(tmp_path, content))
    assert error.line == line
    assert words in str(error)


@pytest.mark.parametrize(
    ("content", "lines", "bad"),
    [
        ("text\nFluß\n".encode() + b"b\xffd\ntwo\n", [2, 3, 4], 3),
        (b'id,text\n1,one\n2,"two\nlines"\n3,"never closed\n4,four\n', [2, 3, 5], 5),
    ],
)
def test_good_rows_around_a_bad_one_are_read(
    tmp_path: Path, content: bytes, lines: list[int], bad: int
) -> None:
    kinds = [(item.line, type(item)) for item in read(tmp_path, content)]
    assert kinds == [(line, RowError if line == bad else PassageRow) for line in lines]


def test_quotation_marks_within_a_text_stay(tmp_path: Path) -> None:
    (first, second) = read(tmp_path, b'text\n"a ""quoted"" word"\nsay "hi" to me\n')
    assert isinstance(first, PassageRow)
    assert isinstance(second, PassageRow)
    assert (first.text, second.text) == ('a "quoted" word', 'say "hi" to me')


def test_a_table_may_have_500_columns(tmp_path: Path) -> None:
    header = ",".join(["text", *map(str, range(499))]).encode()
    only(PassageRow, read(tmp_path, header + b"\na\n"))
