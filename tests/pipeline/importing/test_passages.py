"""Passages out of JSON lines: each fault gets its sentence, the rest of the file goes on."""

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.importing import lines
from pipeline.importing.passages import PassageRow, RowError, inspect_file, read_passages
from pipeline.importing.rows import Fault, UnreadableFile
from tests.support.factories import make_row

Write = Callable[..., Path]
HAGRID = '{"query": "Where?", "answers": [{"answer": "In the sea."}]}'
NINE_ROWS = "".join(f'{{"text": "{number}"}}\n' for number in range(9))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def _write(content: bytes | str, name: str = "in.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return _write


def rows(path: Path) -> list[PassageRow]:
    items = list(read_passages(path))
    assert not [str(item) for item in items if isinstance(item, RowError)]
    return [item for item in items if isinstance(item, PassageRow)]


def only_error(path: Path, **columns: str) -> RowError:
    read = read_passages(path, columns=columns)
    (error,) = [item for item in read if isinstance(item, RowError)]
    return error


def test_a_line_keeps_its_other_keys(write: Write) -> None:
    path = write('{"id": "a", "text": "One.", "context": "Q?", "model": "m", "n": [1, {"k": 2}]}\n')
    source: dict[str, object] = {"model": "m", "n": [1, {"k": 2}]}
    assert rows(path) == [make_row("a", context="Q?", source=source)]
    path = write('{"input_info": {"claim": "One.", "context": null, "extra": 1}, "id": 7}\n')
    (row,) = rows(path)
    assert isinstance(row, PassageRow)
    assert row.source.input_keys == ["claim", "context", "extra"]
    assert row.source.number_id == 7
    row.source.input_keys, row.source.number_id = [], None
    assert row == make_row("7", format="rarr", source={"input_info": {"extra": 1}})
    path = write('{"input_info": {"model_outputs_explanation": "One."}}\n')
    assert rows(path)[0].text == "One."


BARE = "Who built it?\nAda Thorne.\nWhen?"
NAMED = "User: Who built it?\nSystem: Ada Thorne.\nUser: When?"


@pytest.mark.parametrize(
    ("line", "as_dialog", "context"),
    [
        ({"text": "1904.", "context": BARE}, False, BARE),
        ({"text": "1904.", "context": BARE}, True, NAMED),
        ({"text": "1904.", "context": BARE, "turns": 3}, False, NAMED),
        ({"text": "1904.", "turns": BARE.split("\n")}, False, NAMED),
        ({"input_info": {"claim": "1904.", "context": BARE}}, True, NAMED),
        ({"input_info": {"claim": "1904.", "context": BARE}, "turns": 3}, False, NAMED),
        (
            {"text": "1904.", "context": "Of the hall.\n\nWhen?"},
            True,
            "System: Of the hall.\nUser: When?",
        ),
        ({"text": "1904.", "context": "When?"}, True, "When?"),
        ({"text": "1904.", "context": "Q: Who?\nA: Ada."}, True, "Q: Who?\nA: Ada."),
    ],
)
def test_bare_lines_are_turns_by_choice_or_where_the_record_has_turns(
    write: Write, line: dict[str, object], as_dialog: bool, context: str
) -> None:
    [row] = read_passages(write(json.dumps(line)), dialog=as_dialog)
    assert isinstance(row, PassageRow)
    assert row.context == context
    [plain] = read_passages(write(json.dumps(line)))
    assert isinstance(plain, PassageRow)
    assert plain.external_id == row.external_id
    assert (plain.content_hash == row.content_hash) == (plain.context == row.context)


def test_a_row_without_an_id_gets_the_same_one_each_time(write: Write) -> None:
    path = write('{"text": "One."}\n{"text": "One.", "context": "c"}\n')
    first, second = rows(path)
    assert first.external_id != second.external_id
    assert [row.external_id for row in rows(path)] == [first.external_id, second.external_id]


def test_blank_lines_and_a_byte_order_mark_are_passed_over(write: Write) -> None:
    path = write(b'\xef\xbb\xbf\n\n{"text": "One."}\n\n')
    assert [(row.line, row.text) for row in rows(path)] == [(3, "One.")]


@pytest.mark.parametrize(
    ("content", "line", "field", "words"),
    [
        (b"", 0, "", "the file is empty"),
        (b"\n \n", 0, "", "the file has no rows"),
        (b"PK\x03\x04zip", 0, "", "the ZIP archive is damaged"),
        (b"version https://git-lfs.github.com/spec/v1\n", 0, "", "Git LFS pointer, not the file"),
        (b"\x1f\x8bgz", 0, "", "gzip"),
        (b"\xd0\xcf\x11\xe0\0\0", 0, "", "it is an old office document"),
        (b"\x80\x04\x95\0\0", 0, "", "it is a Python pickle"),
        (b"a" * 257 + b"ustar", 0, "", "it is a tar archive"),
        (b"ARROW1\0\0", 0, "", "it is an Arrow file"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<a/>", 0, "", "it is XML or HTML"),
        (b"\n<!DOCTYPE html><html>", 0, "", "it is XML or HTML"),
        (b"@article{key,\n title = {A}}", 0, "", "it is BibTeX"),
        (b"1 Q0 doc7 1 12.5 bm25\n", 0, "", "it is a TREC run or qrels"),
        (b"1\t0\tdoc7\t1\n", 0, "", "it is a TREC run or qrels"),
        (b"- id: 0\n  text: One.\n", 0, "", "it is YAML"),
        (b"{'id': 0, 'text': 'One.'}\n", 0, "", "Python dicts"),
        (b'{"text": "a"}\n{"text": "b', 2, "", "the file ends inside a text"),
        (b"hello there", 1, "", "not JSON"),
        (b'{"bdy": "a"}', 0, "", "no column is known to hold the text (the columns are bdy)"),
        (b'{"text": "a"', 1, "", "not JSON"),
        (b'{"text": "a\x00b"}', 1, "", "NUL character at position 12"),
        (b'{"text": "a\\u0000b"}', 1, "text", "NUL character at position 2"),
        (b'{"text": "a", "more": {"k": ["\\ud800"]}}', 1, "more", "surrogate pair"),
        (b'{"text": "a"}\n{"text": "b"}\n{"text": "caf\xe9"}', 3, "", "not UTF-8"),
        (b'{"text": 1}', 1, "text", "text is a number"),
        (b'{"id": 1, "text": ["a"]}', 0, "", "no column is known to hold the text"),
        (b'{"id": 1, "text": ["a"]}\n{"text": "b"}', 1, "text", "text is a list"),
        (b'{"text": null}', 1, "text", "there is no text"),
        (b'{"text": " \\n"}', 1, "text", "text is empty"),
        (
            b'{"text": "a", "context": "c"}\n{"text": "b", "context": {}}',
            2,
            "context",
            "context is an object",
        ),
        (b'{"text": "a", "id": true}', 1, "id", "id is true or false"),
        (b'{"text": "a", "id": " "}', 1, "id", "blank"),
        (b'{"text": "a", "id": "x\\ny"}', 1, "id", "does not print"),
        (b'{"text": "a", "id": "' + b"x" * 201 + b'"}', 1, "id", "limit is 200"),
        (b'{"text": NaN}', 1, "text", "text is not a number (NaN)"),
        (b'{"text": "a", "context": Infinity}', 1, "context", "context is not a number (NaN)"),
        (b'{"text": "a", "n": ' + b"9" * 5000 + b"}", 1, "", "cannot be stored"),
        (b'{"text": "a", "n": 1e999}', 1, "n", "too large"),
        (b'{"text": "a", "n": ' + b"[" * 101 + b"]" * 101 + b"}", 1, "n", "nested too deeply"),
        (b'{"text": "a", "n": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", 1, "", "nested too"),
        (b'{"text": "' + b"a" * 2_000_000 + b'"}', 1, "text", "limit is 200,000"),
        (b'{"text": "a", "id": 1, "text": "b"}', 1, "text", 'has the key "text" twice'),
        (b'{"text": "a", "m": [{"k": 1, "k": 1}]}', 1, "k", 'has the key "k" twice'),
        (b'{"text": "a", "text": "b", "\\u0000": 1, "\\u0000": 2}', 1, "text", "twice"),
        (b'{"text": "a", "\\ud800": 1, "\\ud800": 2}', 1, "?", "twice"),
        (b'{"input_info": {"claim": "a", "claim": "b"}}', 1, "claim", 'has the key "claim" twice'),
        (b'{"input_info": 3}', 1, "input_info", "input_info is a number"),
        (b'{"input_info": {"context": "c"}}', 1, "input_info.claim", "there is no"),
    ],
)
def test_each_fault_has_its_sentence(
    write: Write, content: bytes, line: int, field: str, words: str
) -> None:
    error = only_error(write(content))
    assert (error.line, error.field) == (line, field)
    assert words in str(error)
    assert "in.jsonl" in str(error)
    assert error.fix
    assert len(str(error)) < 400


def test_one_bad_line_does_not_stop_the_others(write: Write) -> None:
    content = b'{"text": "one"}\nnonsense\n{"text": "\xe9"}\n[]\n{"text": "two"}\n'
    items = list(read_passages(write(content)))
    errors = [item for item in items if isinstance(item, RowError)]
    assert [error.line for error in errors] == [2, 3, 4]
    assert errors[1].value == f"byte 0xE9 at offset {content.index(0xE9)}"
    assert [item.text for item in items if isinstance(item, PassageRow)] == ["one", "two"]


def test_a_line_over_the_limit_is_skipped_and_reported(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 1_000_000)
    path = write(b'{"text": "' + b"a" * 3_500_000 + b'"}\n{"text": "after"}\n')
    error, row = read_passages(path)
    assert isinstance(error, RowError)
    assert "longer than 1 MB" in error.problem
    assert isinstance(row, PassageRow)
    assert row.line == 2


def test_an_id_or_content_that_comes_twice_names_both_lines(write: Write) -> None:
    twice = '{"id": "a", "text": "one"}\n\n{"id": "a", "text": "two"}\n'
    same_id = "line 3, field id: line 1 has the same id (found a)"
    assert same_id in str(only_error(write(twice), id="id"))
    for line in ('{"text": "one"}', HAGRID):
        assert len(rows(write(f"{line}\n\n{line}\n"))) == 1, "equal rows are one"


@pytest.mark.parametrize(
    ("limit", "most", "content", "words"),
    [
        ("passages.MAX_ROWS", 2, NINE_ROWS, "more than 2 rows"),
        ("rows.MAX_ERRORS", 3, '{"text": "a"}\n' + "{}\n" * 50, "stopped after 3 errors"),
    ],
)
def test_reading_stops_after_too_many_rows_or_errors(
    write: Write, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, content: str, words: str
) -> None:
    monkeypatch.setattr(f"pipeline.importing.{limit}", most)
    items = list(read_passages(write(content)))
    assert len(items) == (3 if limit == "passages.MAX_ROWS" else 5)
    assert words in str(items[-1])


@pytest.mark.parametrize(
    ("content", "name", "format_"),
    [
        ('{"text": "a"}', "x", "jsonl"),
        ('{"input_info": {"claim": "a"}}', "x", "rarr"),
        ('{"query": "q", "answers": [{"answer": "a"}]}', "x", "hagrid"),
        ('{"query": "q", "answers": []}', "x", "questions"),
        ("id,text\n1,a\n", "x", "csv"),
        ('"ID";"Text"\n1;a\n', "x", "csv"),
        ("nonsense", "x.csv", "csv"),
        ("The Ribble runs west, they say.", "x", "jsonl"),
        ('[{"text": "a"}]', "x", "jsonl"),
    ],
)
def test_the_format_is_detected_from_the_content(
    write: Write, content: str, name: str, format_: str
) -> None:
    assert inspect_file(write(content, name)).format == format_


def test_the_data_in_an_archive_are_read(tmp_path: Path) -> None:
    path = tmp_path / "in.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("README.md", "# About")
        archive.writestr(
            "data/a.json",
            b'[\n{"id": 1, "text": "One."},\n{"id": 2, "text": "' + b'\xe9 \xc3\xa9"}]',
        )
        archive.writestr("data/b.csv", "id,text\n3,Three.\n")
    first, wrong, last = read_passages(path)
    assert isinstance(first, PassageRow)
    assert isinstance(last, PassageRow)
    assert (first.text, last.text) == ("One.", "Three.")
    assert str(wrong).startswith(
        "data/a.json, line 3, field text: the text holds a byte that is not"
    )


def test_a_missing_file_and_a_folder_and_a_wrong_format_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="There is no file"):
        list(read_passages(tmp_path / "nope.jsonl"))
    with pytest.raises(UnreadableFile, match="is a folder"):
        list(read_passages(tmp_path))
    (tmp_path / "a").write_text("{}")
    with pytest.raises(UnreadableFile, match="'xml' is no format"):
        list(read_passages(tmp_path / "a", format="xml"))


def test_a_hash_depends_on_the_content_and_not_on_line_or_id() -> None:
    row = make_row(line=1, external_id="a", text="t", context="c", source={"x": 1, "y": 2})
    moved = make_row(line=9, external_id="b", text="t", context="c", source={"y": 2, "x": 1})
    other = make_row(line=1, external_id="a", text="t", context="c", source={"x": 1})
    assert row.content_hash == moved.content_hash != other.content_hash


# What a decoder may take for a key, an end, or a character that it is not.
ESCAPES = ['\\"', "\\u0000", "\\\\u0000", "\\ud800", "\\ud83d\\ude00", "\\n"]
NUMBERS = ["-0", "1e5", "1e999", "0.5", "9" * 30, "9" * 5_000, "null", "NaN"]
OBJECTS = ['":', '" :', '{"a":1}', '"a":', '"b" :', "[" * 99]
SCRAPS = st.sampled_from([*'"\\:{}[],a1 \t\n\x00\x1fé\u2028', *ESCAPES, *NUMBERS, *OBJECTS])


def parsed(parse: Callable[[str], object], text: str) -> object:
    try:
        return repr(parse(text))
    except Fault as fault:
        return vars(fault)


@settings(max_examples=400, deadline=None)
@given(
    inner=st.lists(SCRAPS, max_size=12).map("".join),
    around=st.sampled_from(["{}", '{{"a": {}}}', '{{"a": "{}"}}', '{{"a": [{}]}}', '{{"a": 1{}}}']),
)
def test_what_a_line_cannot_hold_is_refused_with_and_without_its_escapes_checked(
    inner: str, around: str
) -> None:
    text = around.format(inner)
    quick = parsed(lines.parse_object, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_UNSTORABLE", re.compile(""))
        assert quick == parsed(lines.parse_object, text)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    value=st.dictionaries(
        st.text(max_size=8),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
        ),
        max_size=5,
    )
)
def test_what_is_read_can_be_stored_anywhere(write: Write, value: dict[str, object]) -> None:
    path = write(json.dumps({"text": "a", **value}))
    for item in read_passages(path, format="jsonl"):
        if isinstance(item, PassageRow):
            stored = json.dumps([item.text, item.context, item.source.extra], allow_nan=False)
            assert "\\u0000" not in stored.replace("\\\\", "")
            json.dumps(item.source.extra, ensure_ascii=False).encode()
