"""The examples and limits of docs/formats.md are real."""

import re
from pathlib import Path

import pytest

from pipeline.importing import (
    corpus_files,
    html_text,
    limited_process,
    lines,
    packed_files,
    passages,
    rows,
)
from pipeline.importing.corpus_files import read_documents
from pipeline.importing.passages import FORMATS, PassageRow, inspect_file, read_passages

PAGE = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")


def example(heading: str) -> str:
    """The block of code under the heading that begins so."""
    result = re.search(rf"^### {heading}.*?^```\w+\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert result, f"docs/formats.md has no example under {heading}"
    return result[1]


@pytest.mark.parametrize("name", FORMATS)
def test_the_example_of_every_format_is_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / "example"
    path.write_text(example(f"`{name}`"), encoding="utf-8")
    assert inspect_file(path).format == name
    result = list(read_passages(path))
    assert result
    assert all(isinstance(item, PassageRow) for item in result)


def test_the_example_of_a_document_is_read(tmp_path: Path) -> None:
    path = tmp_path / "example.jsonl"
    path.write_text(example("Tables"), encoding="utf-8")
    (document,) = read_documents(path)
    assert document.title == "River Ribble"


@pytest.mark.parametrize(
    "limit",
    [
        passages.MAX_ROWS,
        rows.MAX_ERRORS,
        rows.MAX_PASSAGE_CHARACTERS,
        rows.MAX_ID_CHARACTERS,
        rows.MAX_DOCUMENT_CHARACTERS,
        rows.MAX_DOCUMENT_ID_CHARACTERS,
        rows.MAX_TITLE_CHARACTERS,
        rows.MAX_URL_CHARACTERS,
        lines.MAX_LINE_BYTES,
        lines.MAX_DEPTH,
        corpus_files.MAX_FILES,
        corpus_files.MAX_FILE_BYTES,
        html_text.MOST_TAGS,
        limited_process.CPU_SECONDS,
        packed_files.MAX_ARCHIVE_BYTES,
        packed_files.MAX_ARCHIVE_FILES,
    ],
)
def test_every_limit_is_on_the_page(limit: int) -> None:
    assert re.search(rf"(?<![\d,]){limit:,}(?![\d,]\d)", PAGE)


@pytest.mark.parametrize("suffix", sorted(corpus_files.SUFFIXES))
def test_every_kind_of_file_is_on_the_page(suffix: str) -> None:
    assert f"`{suffix}`" in PAGE
