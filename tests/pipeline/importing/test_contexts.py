"""Lines of question, contexts and answer read as passages, under the names of many tools."""

from pathlib import Path
from typing import Any

import pytest

from pipeline.importing.contexts import NAMES
from pipeline.importing.passages import PassageRow, RowError, inspect_file, read_passages
from tests.support.commands import write_lines
from tests.support.factories import only

LINE: dict[str, Any] = {
    "question": "Where does the Ribble end?",
    "contexts": ["It runs west.", {"title": "Ribble", "url": "https://x.org", "text": "75 miles."}],
    "answer": "In the Irish Sea [1].",
    "model": "m",
}


def read(folder: Path, *lines: dict[str, Any]) -> list[PassageRow | RowError]:
    return list(read_passages(write_lines(folder / "rows.jsonl", list(lines))))


def passage(folder: Path, line: dict[str, Any]) -> PassageRow:
    return only(PassageRow, read(folder, line))


def test_an_answer_is_a_passage_with_its_question_and_its_contexts(tmp_path: Path) -> None:
    row = passage(tmp_path, {"id": 7, **LINE})
    assert (row.external_id, row.text, row.context) == ("7", LINE["answer"], LINE["question"])
    assert row.source.extra == {"id": 7, "contexts": LINE["contexts"], "model": "m"}
    sources = [(each.number, each.title, each.url, each.text) for each in row.source.with_text]
    second = (2, "Ribble", "https://x.org", "75 miles.")
    assert sources == [(1, "", "", "It runs west."), second]


@pytest.mark.parametrize(("field", "name"), [(f, name) for f in NAMES for name in NAMES[f]])
def test_every_name_of_a_field_is_known(tmp_path: Path, field: str, name: str) -> None:
    line = {name if key == field else key: value for key, value in LINE.items()}
    row = passage(tmp_path, line)
    assert inspect_file(tmp_path / "rows.jsonl").format == "contexts"
    assert (row.text, row.context) == (LINE["answer"], LINE["question"])
    assert row.source.extra == {"contexts": LINE["contexts"], "model": "m"}


def test_a_list_of_another_name_never_replaces_the_lines_contexts(tmp_path: Path) -> None:
    row = passage(tmp_path, {**LINE, "docs": ["Another."]})
    assert row.source.extra["docs"] == ["Another."]
    assert row.source.with_text[0].text == "It runs west."
    line = {**LINE, "contexts": "So.", "docs": ["Another."]}
    file = write_lines(tmp_path / "rows.jsonl", [line])
    row = only(PassageRow, read_passages(file, format="contexts"))
    assert [each.text for each in row.source.with_text] == ["So."]


def test_contexts_of_other_tools_are_lists(tmp_path: Path) -> None:
    pair = ["Ribble", ["It runs west. ", "It is long."]]
    (source,) = passage(tmp_path, {**LINE, "contexts": [pair]}).source.with_text
    assert (source.title, source.text) == ("Ribble", "It runs west. It is long.")
    (source,) = passage(tmp_path, {**LINE, "contexts": [{"snippet": "It runs."}]}).source.with_text
    assert source.text == "It runs."
    line = {"input": "Q?", "retrieval_context": "One.|Two.", "actual_output": "A."}
    assert len(passage(tmp_path, line).source.with_text) == 2
    golden = {**line, "actual_output": None, "expected_output": "It is so."}
    error = only(RowError, read(tmp_path, golden))
    assert "--map text=expected_output --map context=input" in error.in_command


def test_a_verdict_of_prodigy_is_no_right_answer(tmp_path: Path) -> None:
    row = passage(tmp_path, {"text": "A.", "answer": "accept", "_task_hash": 1})
    assert (row.text, row.source.gold) == ("A.", None)


@pytest.mark.parametrize(
    ("given", "title", "url"),
    [
        ({"page_content": "So.", "metadata": {"source": "a.pdf", "title": "A"}}, "A", "a.pdf"),
        ({"docid": "d#1", "score": 1.5, "doc": {"segment": "So.", "title": "A"}}, "A", ""),
        ({"doc_id": 5, "text": "So."}, "5", ""),
        ({"node": {"text": "So."}, "score": 0.5}, "", ""),
        ({"content": "So.", "url": "https://x.org"}, "", "https://x.org"),
    ],
)
def test_a_context_may_be_any_tools_object(
    tmp_path: Path, given: dict[str, Any], title: str, url: str
) -> None:
    row = passage(tmp_path, LINE | {"contexts": [given]})
    (source,) = row.source.with_text
    assert (source.text, source.title, source.url) == ("So.", title, url)


def test_a_gold_answer_next_to_the_response_stays_with_the_passage(tmp_path: Path) -> None:
    row = passage(tmp_path, LINE | {"response": "So it is.", "reference": "Gold."})
    assert row.text == LINE["answer"]
    assert row.source.extra["response"] == "So it is."
    assert row.source.extra["reference"] == "Gold."


def test_contexts_may_be_none_or_empty_and_keep_their_numbers(tmp_path: Path) -> None:
    assert passage(tmp_path, LINE | {"contexts": []}).source.with_text == []
    row = passage(tmp_path, LINE | {"contexts": ["", {"page_content": ""}, "So."]})
    assert [each.number for each in row.source.with_text] == [3]
    assert [each.number for each in row.source.numbered] == [1, 2, 3]


@pytest.mark.parametrize(
    ("line", "field", "words"),
    [
        (LINE | {"contexts": 3}, "contexts", "contexts is a number, not a list"),
        (LINE | {"contexts": ["So.", 3]}, "contexts[1]", "it is a number"),
        (LINE | {"contexts": [{"title": "Ribble"}]}, "contexts[0]", "it has no text"),
        (LINE | {"answer": " "}, "answer", "answer is empty"),
        (LINE | {"question": ["Why?"]}, "question", "question is a list"),
        ({key: LINE[key] for key in ("question", "contexts")}, "answer", "there is no answer"),
        (LINE | {"id": []}, "id", "is a list"),
    ],
)
def test_what_is_wrong_is_reported_with_its_field(
    tmp_path: Path, line: dict[str, Any], field: str, words: str
) -> None:
    first, error = read(tmp_path, LINE, line)
    assert isinstance(first, PassageRow)
    assert isinstance(error, RowError)
    assert (error.line, error.field) == (2, field)
    assert words in str(error)
    assert error.fix


@pytest.mark.parametrize(
    "line",
    [
        {"text": "So.", "question": "Why?", "contexts": ["a"], "answer": "b"},
        {"query": "Why?", "quotes": [{"text": "a"}], "answers": [{"answer": "So."}]},
        {"claim": "So.", "references": ["a"], "question": "Why?"},
        {"question": "Why?", "context": "So.", "answer": "So it is."},
    ],
)
def test_lines_of_other_formats_are_not_taken_for_it(tmp_path: Path, line: dict[str, Any]) -> None:
    read(tmp_path, line)
    assert inspect_file(tmp_path / "rows.jsonl").format != "contexts"
