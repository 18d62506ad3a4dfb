"""The shapes of files that tools and studies publish."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.importing.passages import PassageRow, inspect_file, read_passages
from tests.support.tool_files import DOCS, SHAPES, A, E, Q, write


@pytest.mark.parametrize("tool", SHAPES)
def test_the_unchanged_file_is_read(tmp_path: Path, tool: str) -> None:
    row = SHAPES[tool]
    format_, kind, sources, *names = tool.rpartition(": ")[2].split()
    path = tmp_path / "file"
    write(path, kind, row)
    assert inspect_file(path).format == format_
    first, *_ = read_passages(path)
    assert isinstance(first, PassageRow), str(first)
    assert (first.text, first.context) == (A, Q if Q in json.dumps(row) else "")
    assert [each.text for each in first.source.with_text] == [E] * int(sources)
    name = first.external_id
    assert names == [name] if names else name.startswith("sha-")


@pytest.mark.parametrize(
    ("row", "is_document"),
    [
        ({"query_id": "7", "query": Q, "positive_passages": [{"docid": "2#3", "text": E}]}, False),
        ({"question": Q, "qa_pairs": [], "answer": "Sea.", "docs": DOCS}, True),
        ({"question": Q, "answers": [["Irish Sea"]], "docs": DOCS}, True),
        ({"Type": "x", "Question": Q, "Best Answer": "The Irish Sea, at Lytham."}, False),
        ({"qid": "7", "question_text": Q, "answer_list": [{"answer_text": A}] * 9}, True),
        ({"input": Q, "actual_output": None, "context": [E], "source_file": "a.md"}, True),
        ({"id": 1, "prompt": Q}, False),
    ],
)
def test_questions_of_data_sets_stay_questions(
    tmp_path: Path, row: dict[str, Any], is_document: bool
) -> None:
    path = tmp_path / "file"
    write(path, "json" if is_document else "jsonl", row)
    assert inspect_file(path).is_sure is ("Best Answer" not in row)
    (first,) = read_passages(path)
    assert isinstance(first, PassageRow)
    assert (first.format, first.text, first.context) == ("questions", "", Q)


@pytest.mark.parametrize(
    ("more", "sources"),
    [
        ({"search_results": [{"page_name": "Ribble", "page_snippet": E}]}, [E]),
        ({"Document": E}, [E]),
        ({"context": [E, E]}, [E, E]),
        ({"context": f"User: {Q}\nSystem: {A}"}, []),
        ({"quotes": [{"text": E}], "document": "It is another."}, [E]),
    ],
)
def test_questions_have_their_sources(
    tmp_path: Path, more: dict[str, Any], sources: list[str]
) -> None:
    path = tmp_path / "file"
    write(path, "json", {"question": Q, **more})
    (row,) = read_passages(path)
    assert isinstance(row, PassageRow)
    assert (row.format, row.text) == ("questions", "")
    assert [each.text for each in row.source.with_text] == sources
    assert row.source.from_json(row.source.to_json()).with_text == row.source.with_text
