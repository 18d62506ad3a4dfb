"""Any bytes at all give rows, or an error with its sentence: never another exception."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.importing.corpus_files import read_corpus
from pipeline.importing.packed_files import unpacked_bytes
from pipeline.importing.passages import FORMATS, TABLES, PassageRow, inspect_file, read_passages
from pipeline.importing.rows import Fault
from tests.support.commands import write_lines
from tests.support.rarr_lines import LINE, RESULT

often = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
PAGE = (
    b"<html><head><title>Rivers &amp; seas</title><link rel=canonical href='https://example.org'>"
    b"</head><body><h1>Rivers</h1><p>The Ribble runs <b>west</b>.</p><table><tr><td>a</table>"
)
SCRAPS = [
    b"text",
    b"[",
    b"]",
    b"\xe9",
    b"\xff\xfe",
    b"sep=;",
    b"|",
    b"answer",
    b"id",
    b",",
    b";",
    b'"',
    b"\n",
    b"{",
    b"}",
    b":",
    b"1",
    b"\0",
    b" ",
]
METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA]


def archive(method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as packed:
        packed.writestr("a.txt", "The Ribble runs west. " * 5)
        packed.writestr("é/b.md", "# Rivers\nThe Ribble runs west.")
        packed.writestr("c.html", PAGE)
    return out.getvalue()


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """`whole` with a few bytes changed, and perhaps cut short."""
    content = bytearray(whole)
    positions = st.integers(0, len(whole) - 1)
    for position, byte in draw(st.lists(st.tuples(positions, st.integers(0, 255)), max_size=4)):
        content[position] = byte
    return bytes(content[: draw(st.just(len(whole)) | positions)])


plain_json = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
HAGRID = {
    "query_id": "7",
    "query": "What colour?",
    "quotes": [{"idx": 1, "text": "Green."}],
    "answers": [{"answer": "Blue [1]."}],
}


@often
@given(data=st.data())
@pytest.mark.parametrize("line", [HAGRID, LINE])
def test_whatever_is_in_a_line_is_a_passage_or_a_named_error(
    tmp_path: Path, line: dict[str, Any], data: st.DataObject
) -> None:
    names = st.sampled_from([*RESULT] if line is LINE else [*HAGRID])
    changes = data.draw(st.dictionaries(names, plain_json))
    changed = {**line, "result": RESULT | changes} if line is LINE else line | changes
    for item in read_passages(write_lines(tmp_path / "in.jsonl", [changed])):
        assert isinstance(item, PassageRow) or (item.problem and item.fix)


def read_as_documents(path: Path) -> None:
    assert unpacked_bytes(path) >= 0
    for item in read_corpus(path):
        assert str(item)


@often
@given(content=st.binary(max_size=300))
def test_no_bytes_break_a_reader_of_passages(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "in.data"
    path.write_bytes(content)
    for format_ in ("auto", *FORMATS):
        for item in read_passages(path, format=format_):
            assert str(item)


@often
@given(content=st.binary(max_size=300) | st.lists(st.sampled_from(SCRAPS)).map(b"".join))
def test_no_bytes_break_the_guess_of_columns(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    for format_ in ("auto", *FORMATS):
        try:
            shape = inspect_file(path, format=format_)
        except Fault:
            continue
        columns = shape.columns
        needs_text = shape.format in TABLES and shape.names
        assert columns["text"] or not shape.is_sure if needs_text else True
        for item in read_passages(path, format=shape.format, columns=columns):
            assert str(item)


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".jsonl"])
@often
@given(content=st.binary(max_size=300) | damaged(PAGE))
def test_no_bytes_break_a_reader_of_documents(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / f"in{suffix}"
    path.write_bytes(content)
    read_as_documents(path)


@pytest.mark.parametrize("method", METHODS)
@often
@given(data=st.data())
def test_no_damage_to_an_archive_breaks_its_reader(
    tmp_path: Path, method: int, data: st.DataObject
) -> None:
    path = tmp_path / "in.zip"
    path.write_bytes(data.draw(damaged(archive(method))))
    read_as_documents(path)
